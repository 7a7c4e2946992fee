/** Colour arithmetic: WCAG 2 contrast and perceived distance. */
export type ColourVision = "usual" | "protanopia" | "deuteranopia" | "tritanopia";

type Triple = readonly [number, number, number];

/** Machado, Oliveira, Fernandes 2009, severity 1, over linear light. */
const SIGHTS: Record<ColourVision, readonly Triple[]> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** WCAG 2 contrast of two opaque colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

/** The colour as seen with a colour vision deficiency. */
export function simulate(sight: ColourVision, hex: string): string {
  const linear = linearOf(hex);
  const simulated = SIGHTS[sight].map(
    (row) => row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2],
  ) as unknown as Triple;
  return hexOf(simulated);
}

/** How different two colours look: 100 × the distance in OKLab. About 2 is just noticeable. */
export function distance(one: string, other: string): number {
  const [a, b] = [oklab(one), oklab(other)];
  return 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function luminance(hex: string): number {
  const [red, green, blue] = linearOf(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linearOf(hex: string): Triple {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function hexOf(linear: Triple): string {
  const channel = (value: number) => {
    const bound = Math.min(1, Math.max(0, value));
    const shown = bound <= 0.0031308 ? bound * 12.92 : 1.055 * bound ** (1 / 2.4) - 0.055;
    return Math.round(shown * 255)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${linear.map(channel).join("")}`;
}

/** https://bottosson.github.io/posts/oklab/ */
function oklab(hex: string): Triple {
  const [red, green, blue] = linearOf(hex);
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

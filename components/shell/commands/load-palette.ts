/** Also called ahead of time: later calls use the loaded module. */
export const loadPalette = () => import("./palette.tsx").then(({ Palette }) => Palette);

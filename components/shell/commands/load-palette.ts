/** Called ahead of need too: the second call is answered from memory. */
export const loadPalette = () => import("./palette.tsx").then(({ Palette }) => Palette);

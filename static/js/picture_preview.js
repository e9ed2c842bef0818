// A picture that was chosen and is not on the site yet.
const SIDE = 320; // pixels

/** Draws the file into an empty frame; what is no picture draws nothing. */
export async function draw(file, frame) {
  // The policy allows no blob: addresses in pictures, but drawing them is no address.
  const bitmap = await createImageBitmap(file, { resizeWidth: SIDE, resizeQuality: "low" }).catch(() => null);
  if (!bitmap || frame.firstElementChild) return;
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  frame.replaceChildren(canvas);
}

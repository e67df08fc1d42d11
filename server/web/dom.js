// Small helpers for the document. Text always goes in as text, never as markup.

export const byId = (id) => document.getElementById(id);

export function say(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

/** Return a new element with the given properties and children; strings become text. */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export const signed = (reward) => `${reward < 0 ? "−" : "+"}${Math.abs(reward).toFixed(2)}`;

export const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

/** Copy text; say so on the button for a moment, or select the text of `fallback` where copying is forbidden. */
export async function copy(text, button, fallback) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Browsers allow it on secure pages only, and not in every frame.
    const range = document.createRange();
    range.selectNodeContents(fallback);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Selected: copy it";
  }
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

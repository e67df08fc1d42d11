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

/** Copy text and say so on the button for a moment; `select` selects the text in the page where copying is forbidden. */
export async function copy(text, button, select) {
  try {
    await navigator.clipboard.writeText(text);
    tell(button, "Copied");
  } catch {
    // Browsers allow it on secure pages only, and not in every frame; what is selected can often be copied yet.
    select();
    tell(button, document.execCommand("copy") ? "Copied" : "Selected: copy it");
  }
}

/** Copy an element's text. */
export const copyFrom = (source, button) => copy(source.textContent, button, () => getSelection().selectAllChildren(source));

function tell(button, text) {
  button.dataset.label ??= button.textContent;
  button.textContent = text;
  setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 2000);
}

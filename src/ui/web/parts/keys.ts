/** Fields in which letters are typed. A box of a row is none: the keys of a table go on after a click on it. */
const FIELDS = 'input:not([type=checkbox]), textarea, select';

/** Returns whether a key belongs to a field, or to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches(FIELDS) || target.closest('dialog') !== null;
}

/** Follows a link inside the page; the browser opens it elsewhere if it is asked to. */
export const inPage =
  (action: () => void) =>
  (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    action();
  };

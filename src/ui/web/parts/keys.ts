import { signal } from '@preact/signals';
import { keepChoice, keptChoice } from './kept-choice.js';

const KEY = 'keys';
const OFF = 'off';

/** Whether single characters are keys of the page: people who speak their input, or whose hands tremble, switch them off (WCAG 2.1.4). */
export const characterKeys = signal(keptChoice(KEY) !== OFF);

/** Switches the keys that are single characters on or off, in this browser. */
export function switchCharacterKeys(on: boolean): void {
  characterKeys.value = on;
  keepChoice(KEY, on ? undefined : OFF);
}

/** Fields in which letters are typed. A box of a row is none: the keys of a table go on after a click on it. */
const FIELDS = 'input:not([type=checkbox]), textarea, select';

/** Returns whether a key belongs to a field, or to the browser, or is switched off. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  if (!characterKeys.value && /^\S$/u.test(event.key)) return true;
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

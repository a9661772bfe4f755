/** A platform with no cryptography but WebCrypto. */
import { afterAll } from 'vitest';

/**
 * Hides Node's own cryptography until the tests of the file have ended.
 *
 * @returns the function that shows it, or hides it again
 */
export function hideHostCrypto(): (isHidden: boolean) => void {
  const shown = process.getBuiltinModule;
  const hidden = (name: string): unknown => (name === 'node:crypto' ? undefined : shown(name));
  const hide = (isHidden: boolean): void =>
    void Object.defineProperty(process, 'getBuiltinModule', { value: isHidden ? hidden : shown });
  hide(true);
  afterAll(() => hide(false));
  return hide;
}

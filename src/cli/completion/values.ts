import type { Flag } from '../flags/flag.js';

/** The values that a flag takes, as far as a shell can complete them. */
export type CompletedValue =
  | { readonly kind: 'none' | 'file' | 'directory' | 'other' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] };

/** Returns what a shell completes after a flag. */
export function valueOf({ choices, valueName, bare }: Flag<unknown>): CompletedValue {
  if (choices !== undefined) return { kind: 'choices', choices };
  if (bare !== undefined) return { kind: 'none' };
  if (valueName === 'FILE' || valueName === 'PATH') return { kind: 'file' };
  return { kind: valueName === 'DIR' ? 'directory' : 'other' };
}

/** Returns the first sentence of a help text, without what shells would interpret. */
export function described(help: string): string {
  const [sentence = ''] = /^.*?\.(?= |$)/.exec(help) ?? [help];
  return sentence.replaceAll(/[^ -~]/g, ' ').replace(/\.$/, '');
}

/** Quotes a text for a shell: within single quotes nothing is special. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

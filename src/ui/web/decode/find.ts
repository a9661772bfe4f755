import { isMap } from '../data/guards.js';

/** A text in an object that means something: PEM, a token, or a kubeconfig. */
export interface Encoded {
  /** Where it is in the object. */
  readonly place: string;
  readonly form: 'pem' | 'token' | 'kubeconfig';
  readonly text: string;
}

/** The most texts that are decoded, the longest, and the deepest. */
const MOST = 50;
const LONGEST = 1024 * 1024;
const DEEPEST = 50;

/** Finds the texts of an object that can be decoded, as they are or as base64. */
export function encodedIn(object: unknown): readonly Encoded[] {
  const found: Encoded[] = [];
  look(object, [], found);
  return found;
}

function look(value: unknown, path: readonly string[], found: Encoded[]): void {
  if (found.length >= MOST || path.length > DEEPEST) return;
  if (typeof value === 'string') {
    const known = value.length > LONGEST ? undefined : (meaningOf(value) ?? meaningOf(bytesIn(value)));
    if (known !== undefined) found.push({ ...known, place: path.join('.') });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) look(item, [...path, String(index)], found);
  } else if (isMap(value)) {
    for (const [name, member] of Object.entries(value)) look(member, [...path, name], found);
  }
}

/** Returns the form of a text; undefined for one without a meaning. */
function meaningOf(text: string | undefined): Pick<Encoded, 'form' | 'text'> | undefined {
  if (text === undefined) return undefined;
  if (text.includes('-----BEGIN ')) return isKubeconfig(text) ? { form: 'kubeconfig', text } : { form: 'pem', text };
  if (/^\s*eyJ[\w-]+\.[\w-]+\.[\w-]*\s*$/.test(text)) return { form: 'token', text: text.trim() };
  return isKubeconfig(text) ? { form: 'kubeconfig', text } : undefined;
}

const isKubeconfig = (text: string): boolean =>
  /["']?kind["']?:\s*["']?Config\b/.test(text) && /["']?clusters["']?:/.test(text);

/** Returns the text that base64 stands for; undefined for another text. */
export function bytesIn(text: string): string | undefined {
  const compact = text.replace(/\s/g, '');
  if (compact.length < 40 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(compact), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** Letters that Go's `%q` writes after a backslash, by code. */
const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x07, '\\a'], [0x08, '\\b'], [0x09, '\\t'], [0x0a, '\\n'], [0x0b, '\\v'], [0x0c, '\\f'], [0x0d, '\\r'], [0x22, '\\"'], [0x5c, '\\\\'],
]);

/** Nothing to escape: printable ASCII without quote and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** What Go does not call printable: controls, separators other than the space, unassigned and private characters. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

/** A string in double quotes as Go's `%q` writes it. */
export function goQuote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const short = SHORT_ESCAPES.get(code);
    if (short !== undefined) quoted += short;
    else if (code === 0x20 || !UNPRINTABLE.test(character)) quoted += character;
    else if (code < 0x80) quoted += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code < 0x10000) quoted += `\\u${code.toString(16).padStart(4, '0')}`;
    else quoted += `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return `${quoted}"`;
}

/**
 * A double as Go's `FormatFloat(value, 'g', -1, 64)` writes it: the shortest digits that read back as the same double, with
 * an exponent below 1e-4 and from 1e6 on. Infinities and NaN are not for it.
 */
export function goFloat(value: number): string {
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const magnitude = Math.abs(exponent);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${magnitude < 10 ? '0' : ''}${magnitude}`;
}

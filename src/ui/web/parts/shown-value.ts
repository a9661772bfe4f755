const LONGEST = 200;

/** Returns a value in one line. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

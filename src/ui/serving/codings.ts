/** Content codings of the files, the smallest first. */
const CODINGS = ['br', 'gzip'] as const;

/** A content coding in which a file can be sent. */
export type Coding = (typeof CODINGS)[number] | 'identity';

/** Returns the smallest coding that a client takes, by its `Accept-Encoding` (RFC 9110 section 12.5.3). */
export function codingOf(accepted: string | undefined): Coding {
  const weights = new Map<string, number>();
  for (const part of (accepted ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice('q='.length)));
  }
  const takes = (coding: string): boolean => (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
  return CODINGS.find(takes) ?? 'identity';
}

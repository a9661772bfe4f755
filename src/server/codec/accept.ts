/** One member of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Parameters except `q`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Most members of an Accept header that count, the first ones, and most parameters of each: clients send a handful, and a
 * header may have thousands, which are sorted for every answer.
 */
const MOST_MEMBERS = 128;
const MOST_PARAMETERS = 32;

/**
 * Parses an Accept header as Kubernetes does: sorted by quality, then specific types before `type/*` before any type,
 * otherwise in the given order. Malformed members are skipped; `q=0` is the last choice, not a refusal.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const member of header.split(',', MOST_MEMBERS)) {
    const [range = '', ...parameters] = member.trim().split(';', 1 + MOST_PARAMETERS);
    const slash = range.split('/').map((part) => part.trim());
    const type = slash[0] ?? '';
    const subtype = slash.length === 1 && type === '*' ? '*' : slash[1];
    if (slash.length > 2 || subtype === undefined || subtype === '') continue;
    clauses.push({ type, subtype, ...parseParameters(parameters) });
  }
  return clauses.sort(compare);
}

/** A number with or without a fraction. No two parts match the same digits, so a long text takes linear time. */
const QUALITY = /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)$/;

function parseParameters(texts: readonly string[]): Pick<AcceptClause, 'quality' | 'parameters'> {
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const text of texts) {
    const parts = text.split('=');
    const name = parts[0]?.trim() ?? '';
    const value = parts[1]?.trim() ?? '';
    if (parts.length !== 2 || value === '') continue;
    if (name !== 'q') parameters.set(name, value);
    else quality = QUALITY.test(value) ? Number(value) : 0;
  }
  return { quality, parameters };
}

function compare(a: AcceptClause, b: AcceptClause): number {
  return b.quality - a.quality || wildcards(a) - wildcards(b);
}

function wildcards(clause: AcceptClause): number {
  return clause.type === '*' ? 2 : clause.subtype === '*' ? 1 : 0;
}

/**
 * Returns true when an Accept header contains one of the media types or the wildcard for all types. Ignores parameters
 * and quality; does not support `application/*`.
 */
export function acceptsOneOf(header: string, mediaTypes: readonly string[]): boolean {
  return header.split(',', MOST_MEMBERS).some((member) => {
    const range = (member.split(';', 1)[0] ?? '').trim();
    return range === '*/*' || mediaTypes.includes(range);
  });
}

/**
 * Returns the media type of a Content-Type header, in lower case and without parameters.
 *
 * @returns undefined for a malformed header
 */
export function parseMediaType(header: string): string | undefined {
  // Nearly all headers are nothing but the type.
  if (MEDIA_TYPE.test(header)) return header;
  const type = (header.split(';', 1)[0] ?? '').trim().toLowerCase();
  return MEDIA_TYPE.test(type) ? type : undefined;
}

const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/;

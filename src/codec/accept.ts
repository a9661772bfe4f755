/** One member of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Parameters besides `q`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads an Accept header as the production system does: by quality, then the specific before `type/*` before those of any type, else
 * in the order given. Malformed members are passed over; `q=0` is the last choice, not a refusal.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const member of header.split(',')) {
    const [range = '', ...parameters] = member.trim().split(';');
    const slash = range.split('/').map((part) => part.trim());
    const type = slash[0] ?? '';
    const subtype = slash.length === 1 && type === '*' ? '*' : slash[1];
    if (slash.length > 2 || subtype === undefined || subtype === '') continue;
    clauses.push({ type, subtype, ...parseParameters(parameters) });
  }
  return clauses.sort(compare);
}

function parseParameters(texts: readonly string[]): Pick<AcceptClause, 'quality' | 'parameters'> {
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const text of texts) {
    const parts = text.split('=');
    const name = parts[0]?.trim() ?? '';
    const value = parts[1]?.trim() ?? '';
    if (parts.length !== 2 || value === '') continue;
    if (name !== 'q') parameters.set(name, value);
    else quality = /^[0-9]*\.?[0-9]+$/.test(value) ? Number(value) : 0;
  }
  return { quality, parameters };
}

function compare(a: AcceptClause, b: AcceptClause): number {
  return b.quality - a.quality || wildcards(a) - wildcards(b);
}

function wildcards(clause: AcceptClause): number {
  return clause.type === '*' ? 2 : clause.subtype === '*' ? 1 : 0;
}

/** Whether an Accept header names a media type, or everything; parameters and quality do not matter, and `application/*` is not understood. */
export function acceptsOneOf(header: string, mediaTypes: readonly string[]): boolean {
  return header.split(',').some((member) => {
    const range = (member.split(';')[0] ?? '').trim();
    return range === '*/*' || mediaTypes.includes(range);
  });
}

/**
 * The media type of a Content-Type header, in lower case and without parameters.
 *
 * @returns undefined for a header that is none
 */
export function parseMediaType(header: string): string | undefined {
  const type = (header.split(';')[0] ?? '').trim().toLowerCase();
  return /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/.test(type) ? type : undefined;
}

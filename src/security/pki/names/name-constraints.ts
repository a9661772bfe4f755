/**
 * Name constraints of authorities (RFC 5280 section 4.2.1.10). They restrict the DNS names, IP addresses, email
 * addresses and URIs among the subject alternative names of all certificates below. Other name types are not supported;
 * a certificate with critical constraints on them is refused.
 *
 * @module
 */
import { constructedContextTag, DerTag, goQuote } from '../../../foundation/index.js';
import { derReader } from '../asn1/der.js';
import { malformed, X509Error } from '../x509-error.js';
import { asciiOf, GeneralNameTag, type AlternativeNames } from './alternative-names.js';
import { dnsName, emailName, ipName, isDomain, mailboxOf, uriName, violation, type Name } from './name-forms.js';

/** Constraints by name type. */
export interface NameTrees {
  readonly dns: readonly string[];
  readonly email: readonly string[];
  readonly uri: readonly string[];
  /** An address followed by a mask of the same length. */
  readonly ip: readonly Uint8Array[];
}

/** Permitted and excluded names. A name type without permitted names is unrestricted. */
export interface NameConstraints {
  readonly permitted: NameTrees;
  readonly excluded: NameTrees;
  /** False when there are constraints on unsupported name types. */
  readonly complete: boolean;
}

const MALFORMED = 'x509: invalid NameConstraints extension';

/** Parses the extension. @throws X509Error when it is malformed */
export function parseNameConstraints(value: Uint8Array): NameConstraints {
  const reader = derReader(value).enterOnly(DerTag.sequence, MALFORMED);
  const permitted = readTrees(reader.optional(constructedContextTag(0), MALFORMED)?.content);
  const excluded = readTrees(reader.optional(constructedContextTag(1), MALFORMED)?.content);
  reader.end(MALFORMED);
  if (permitted.count + excluded.count === 0) throw malformed('x509: empty name constraints extension');
  return { permitted: permitted.trees, excluded: excluded.trees, complete: permitted.complete && excluded.complete };
}

function readTrees(content: Uint8Array | undefined): {
  readonly trees: NameTrees;
  readonly complete: boolean;
  readonly count: number;
} {
  const trees = { dns: [] as string[], email: [] as string[], uri: [] as string[], ip: [] as Uint8Array[] };
  let complete = true;
  let count = 0;
  for (const subtrees = derReader(content ?? new Uint8Array(0)); !subtrees.done; count += 1) {
    const { tag, content: name } = subtrees.enter(DerTag.sequence, MALFORMED).any(MALFORMED);
    if (tag === GeneralNameTag.dns) trees.dns.push(domainConstraint(name, 'dnsName constraint'));
    else if (tag === GeneralNameTag.uri) trees.uri.push(domainConstraint(name, 'URI constraint'));
    else if (tag === GeneralNameTag.email) trees.email.push(mailConstraint(name));
    else if (tag === GeneralNameTag.ip) trees.ip.push(addressConstraint(name));
    else complete = false;
  }
  return { trees, complete, count };
}

function textConstraint(content: Uint8Array): string {
  const text = asciiOf(content);
  if (text === undefined) throw malformed('x509: invalid constraint value');
  return text.toLowerCase();
}

function domainConstraint(content: Uint8Array, what: string): string {
  const text = textConstraint(content);
  if (text !== '' && !isDomain(text.replace(/^\./, '')))
    throw malformed(`x509: failed to parse ${what} ${goQuote(text)}`);
  return text;
}

function mailConstraint(content: Uint8Array): string {
  const text = asciiOf(content) ?? '';
  if (!text.includes('@')) return domainConstraint(content, 'rfc822Name constraint');
  if (mailboxOf(text) === undefined) throw malformed(`x509: failed to parse rfc822Name constraint ${goQuote(text)}`);
  return text;
}

function addressConstraint(content: Uint8Array): Uint8Array {
  if (content.length !== 8 && content.length !== 32)
    throw malformed(`x509: IP constraint contained value of length ${content.length}`);
  const mask = Array.from(content.subarray(content.length / 2), (octet) => octet.toString(2).padStart(8, '0')).join('');
  if (/01/.test(mask)) throw malformed('x509: IP constraint contained invalid mask');
  return content;
}

/** Maximum number of comparisons of names with constraints per chain. */
const MAX_COMPARISONS = 250_000;

/** The remaining comparisons. */
export class ComparisonBudget {
  #left = MAX_COMPARISONS;

  /** Takes comparisons from the budget. @throws X509Error when it is exhausted */
  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new X509Error('Limit', 'x509: too many name constraints to check');
  }
}

/**
 * Checks the names of a certificate against the constraints of an authority.
 *
 * @throws X509Error when a name is excluded, not permitted, or cannot be compared
 */
export function checkNameConstraints(
  names: AlternativeNames,
  { permitted, excluded }: NameConstraints,
  budget: ComparisonBudget,
): void {
  const check = <Value, Constraint>(
    kind: string,
    values: readonly Value[],
    trees: readonly [readonly Constraint[], readonly Constraint[]],
    nameOf: (value: Value) => Name<Constraint>,
  ): void => {
    const [allowed, denied] = trees;
    if (allowed.length + denied.length === 0) return;
    for (const value of values) {
      budget.spend(allowed.length + denied.length);
      const name = nameOf(value);
      const exclusion = denied.find((constraint) => name.isWithin(constraint, true));
      if (exclusion !== undefined)
        throw violation(`${kind} ${goQuote(name.text)} is excluded by constraint ${goQuote(name.textOf(exclusion))}`);
      if (allowed.length > 0 && !allowed.some((constraint) => name.isWithin(constraint, false)))
        throw violation(`${kind} ${goQuote(name.text)} is not permitted by any constraint`);
    }
  };
  check('DNS name', names.dnsNames, [permitted.dns, excluded.dns], dnsName);
  check('email address', names.emailAddresses, [permitted.email, excluded.email], emailName);
  check('URI', names.uris, [permitted.uri, excluded.uri], uriName);
  check('IP address', names.ipAddresses, [permitted.ip, excluded.ip], ipName);
}

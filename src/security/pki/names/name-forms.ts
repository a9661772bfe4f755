/**
 * Compares subject alternative names with name constraints (RFC 5280 section 4.2.1.10).
 *
 * @module
 */
import { goQuote } from '../../../foundation/index.js';
import { X509Error } from '../x509-error.js';

/** Returns true when all labels consist of printable ASCII and none is empty. */
export function isDomain(text: string): boolean {
  return text.split('.').every((label) => /^[!-~]+$/.test(label));
}

/** The parts of an email address. */
export interface Mailbox {
  readonly local: string;
  readonly domain: string;
}

/** Parses an email address (RFC 2821 section 4.1.2). The quoted form is not supported and therefore not permitted. */
export function mailboxOf(text: string): Mailbox | undefined {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  const domain = text.slice(at + 1).toLowerCase();
  return at > 0 && /^[-\w!#$%&'*+/=?^`{|}~]+(\.[-\w!#$%&'*+/=?^`{|}~]+)*$/.test(local) && isDomain(domain)
    ? { local, domain }
    : undefined;
}

/**
 * Returns true when a domain equals the constraint or is below it. A constraint with a leading dot matches only below.
 */
function domainWithin(domain: string, constraint: string): boolean {
  if (constraint === '') return true;
  return constraint.startsWith('.')
    ? domain.endsWith(constraint)
    : domain === constraint || domain.endsWith(`.${constraint}`);
}

/** A name that can be compared with constraints of its type. */
export interface Name<Constraint> {
  /** Text of the name, for messages. */
  readonly text: string;
  readonly textOf: (constraint: Constraint) => string;
  /**
   * Returns true when the name matches a constraint.
   *
   * @param excluding whether a wildcard name matches as soon as one name that it covers does
   */
  readonly isWithin: (constraint: Constraint, excluding: boolean) => boolean;
}

/** @throws X509Error when it cannot be compared */
export function dnsName(text: string): Name<string> {
  const domain = text.toLowerCase();
  if (!isDomain(domain)) throw violation(`x509: cannot parse dnsName ${goQuote(text)}`);
  const base = domain.startsWith('*.') ? domain.slice(2) : undefined;
  return {
    text,
    textOf: itself,
    isWithin: (constraint, excluding) =>
      domainWithin(domain, constraint) ||
      (excluding && base !== undefined && domainWithin(constraint.replace(/^\./, ''), base)),
  };
}

/** @throws X509Error when it cannot be compared */
export function emailName(text: string): Name<string> {
  const mailbox = mailboxOf(text);
  if (mailbox === undefined) throw violation(`x509: cannot parse rfc822Name ${goQuote(text)}`);
  return {
    text,
    textOf: itself,
    isWithin(constraint) {
      const exact = constraint.includes('@') ? mailboxOf(constraint) : undefined;
      return exact === undefined
        ? domainWithin(mailbox.domain, constraint)
        : exact.local === mailbox.local && exact.domain === mailbox.domain;
    },
  };
}

/** @throws X509Error when it cannot be compared */
export function uriName(text: string): Name<string> {
  const host = /^[A-Za-z][-+.A-Za-z0-9]*:\/\/(?:[^/?#@]*@)?([^/?#@:[\]]+)(?::\d*)?(?:[/?#]|$)/
    .exec(text)?.[1]
    ?.toLowerCase();
  // A URI without a host, or with an IP address, cannot match a domain, so it must be refused.
  if (host === undefined || !isDomain(host) || /^[\d.]+$/.test(host))
    throw violation(`URI with empty host or IP (${goQuote(text)}) cannot be matched against constraints`);
  return { text, textOf: itself, isWithin: (constraint) => domainWithin(host, constraint) };
}

/** @param address 4 or 16 octets */
export function ipName(address: Uint8Array): Name<Uint8Array> {
  return {
    text: addressText(address),
    textOf: networkText,
    isWithin: (constraint) => {
      const { length } = address;
      return (
        constraint.length === 2 * length &&
        address.every((octet, index) => ((octet ^ (constraint[index] ?? 0)) & (constraint[length + index] ?? 0)) === 0)
      );
    },
  };
}

const itself = (constraint: string): string => constraint;

function networkText(constraint: Uint8Array): string {
  const half = constraint.length / 2;
  const bits = constraint
    .subarray(half)
    .reduce((count, octet) => count + octet.toString(2).replaceAll('0', '').length, 0);
  return `${addressText(constraint.subarray(0, half))}/${bits}`;
}

function addressText(address: Uint8Array): string {
  if (address.length === 4) return address.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((address[2 * index] ?? 0) << 8) | (address[2 * index + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}

/** Returns the error for a name that violates the constraints of an authority. */
export function violation(detail: string): X509Error {
  return new X509Error(
    'NameConstraint',
    `x509: a root or intermediate certificate is not authorized to sign for this name: ${detail}`,
  );
}

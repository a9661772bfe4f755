/**
 * IP addresses and networks as Go's `net/netip` parses and prints them, with its errors. A string result is an error.
 *
 * @module
 */
import { goQuote } from '../../../foundation/index.js';

/** An address as a number. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
  /** The zone of `fe80::1%eth0`. */
  readonly zone: string;
}

/** A network: an address and the number of leading bits. The other bits of the address may be set. */
export interface IpNetwork {
  readonly address: IpAddress;
  readonly bits: number;
}

const problem = (text: string, message: string, at = ''): string =>
  `ParseAddr(${goQuote(text)}): ${message}${at === '' ? '' : ` (at ${goQuote(at)})`}`;

/** Returns the number of bits of an address. */
export const bitLength = ({ family }: IpAddress): number => (family === 4 ? 32 : 128);

/** Parses an address. */
export function parseIpAddress(text: string): IpAddress | string {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === undefined) return problem(text, 'unable to parse IP');
  if (mark === '%') return problem(text, 'missing IPv6 address');
  if (mark === ':') return parseIpv6(text);
  const value = parseIpv4(text);
  return typeof value === 'string' ? value : { family: 4, value, zone: '' };
}

function parseIpv4(text: string): bigint | string {
  const octets: number[] = [];
  let digits = '';
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (/[0-9]/.test(character)) {
      if (digits === '0') return problem(text, 'IPv4 field has octet with leading zero');
      digits += character;
      if (Number(digits) > 255) return problem(text, 'IPv4 field has value >255');
    } else if (character === '.') {
      if (digits === '' || index === text.length - 1)
        return problem(text, 'IPv4 field must have at least one digit', text.slice(index));
      if (octets.length === 3) return problem(text, 'IPv4 address too long');
      octets.push(Number(digits));
      digits = '';
    } else return problem(text, 'unexpected character', text.slice(index));
  }
  if (octets.length < 3) return problem(text, 'IPv4 address too short');
  return [...octets, Number(digits)].reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

function parseIpv6(text: string): IpAddress | string {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') return problem(text, 'zone must be a non-empty string');
  const groups = new Ipv6Reader(text, percent < 0 ? text : text.slice(0, percent)).read();
  if (typeof groups === 'string') return groups;
  return { family: 6, value: groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n), zone };
}

const GROUPS = 8;

/** Reads the groups of an IPv6 address. */
class Ipv6Reader {
  readonly #text: string;
  readonly #groups: number[] = [];
  #rest: string;
  /** Number of groups before `::`. */
  #ellipsis: number | undefined;

  constructor(text: string, address: string) {
    this.#text = text;
    this.#rest = address;
  }

  read(): readonly number[] | string {
    if (this.#rest.startsWith('::')) {
      this.#ellipsis = 0;
      this.#rest = this.#rest.slice(2);
    }
    while (this.#groups.length < GROUPS && (this.#rest !== '' || this.#ellipsis !== this.#groups.length)) {
      const message = this.#readGroup();
      if (message !== undefined) return message;
      if (this.#rest === '') break;
    }
    if (this.#rest !== '') return this.#problem('trailing garbage after address');
    return this.#expanded();
  }

  #problem(message: string): string {
    return problem(this.#text, message, this.#rest);
  }

  /** Reads a group with the colon after it. Returns the error. */
  #readGroup(): string | undefined {
    const digits = /^[0-9a-fA-F]*/.exec(this.#rest)?.[0] ?? '';
    if (digits.length > 4) return this.#problem('each group must have 4 or less digits');
    if (digits === '') return this.#problem('each colon-separated field must have at least one digit');
    if (this.#rest[digits.length] === '.') return this.#readIpv4();
    this.#groups.push(Number.parseInt(digits, 16));
    this.#rest = this.#rest.slice(digits.length);
    if (this.#rest === '') return undefined;
    if (!this.#rest.startsWith(':')) return this.#problem('unexpected character, want colon');
    if (this.#rest === ':') return this.#problem('colon must be followed by more characters');
    this.#rest = this.#rest.slice(1);
    return this.#rest.startsWith(':') ? this.#readEllipsis() : undefined;
  }

  #readEllipsis(): string | undefined {
    if (this.#ellipsis !== undefined) return this.#problem('multiple :: in address');
    this.#ellipsis = this.#groups.length;
    this.#rest = this.#rest.slice(1);
    return undefined;
  }

  #readIpv4(): string | undefined {
    if (this.#ellipsis === undefined && this.#groups.length !== 6)
      return this.#problem('embedded IPv4 address must replace the final 2 fields of the address');
    if (this.#groups.length > 6)
      return this.#problem('too many hex fields to fit an embedded IPv4 at the end of the address');
    const value = parseIpv4(this.#rest);
    if (typeof value === 'string') return this.#problem(value);
    this.#groups.push(Number(value >> 16n), Number(value & 0xffffn));
    this.#rest = '';
    return undefined;
  }

  /** Inserts the zeros of `::`. */
  #expanded(): readonly number[] | string {
    const missing = GROUPS - this.#groups.length;
    if (this.#ellipsis === undefined)
      return missing > 0 ? problem(this.#text, 'address string too short') : this.#groups;
    if (missing === 0) return problem(this.#text, 'the :: must expand to at least one field of zeros');
    return this.#groups.toSpliced(this.#ellipsis, 0, ...new Array<number>(missing).fill(0));
  }
}

/** Returns true for an IPv4 address in the form of an IPv6 address, `::ffff:1.2.3.4`. */
export const isMappedIpv4 = ({ family, value }: IpAddress): boolean => family === 6 && value >> 32n === 0xffffn;

/** Parses a network, `10.0.0.0/8`. */
export function parseIpNetwork(text: string): IpNetwork | string {
  const wrong = (message: string): string => `netip.ParsePrefix(${goQuote(text)}): ${message}`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return wrong("no '/'");
  const address = parseIpAddress(text.slice(0, slash));
  if (typeof address === 'string') return wrong(address);
  if (address.zone !== '') return wrong('IPv6 zones cannot be present in a prefix');
  const length = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]{0,17})$/.test(length)) return wrong(`bad bits after slash: ${goQuote(length)}`);
  const bits = Number(length);
  return bits > bitLength(address) ? wrong('prefix length out of range') : { address, bits };
}

/** Formats an address in its canonical form (RFC 5952). */
export function formatIpAddress({ family, value }: IpAddress): string {
  const width = family === 4 ? 8n : 16n;
  const count = family === 4 ? 4 : GROUPS;
  const parts = Array.from({ length: count }, (_, index) =>
    Number(BigInt.asUintN(Number(width), value >> (width * BigInt(count - 1 - index)))),
  );
  if (family === 4) return parts.join('.');
  const zeros = longestZeros(parts);
  const text = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');
  return zeros.length < 2
    ? text(parts)
    : `${text(parts.slice(0, zeros.start))}::${text(parts.slice(zeros.start + zeros.length))}`;
}

/** Returns the first of the longest runs of zeros. */
function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start };
  }
  return longest;
}

/** Returns the network with all bits after the prefix unset. */
export function maskedNetwork({ address, bits }: IpNetwork): IpNetwork {
  const rest = BigInt(bitLength(address) - bits);
  return { address: { ...address, value: (address.value >> rest) << rest }, bits };
}

/** Returns true when an address belongs to a network. */
export function containsAddress({ address, bits }: IpNetwork, other: IpAddress): boolean {
  const rest = BigInt(bitLength(address) - bits);
  return address.family === other.family && address.value >> rest === other.value >> rest;
}

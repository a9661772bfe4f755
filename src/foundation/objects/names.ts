/**
 * The rules for names: of objects, of label keys, of label values.
 *
 * A rule returns the problems of a name with the messages of Kubernetes; none for a valid name. Rules run on every
 * write: a valid name is accepted in one pass over its characters, and messages are created only for an invalid name.
 *
 * @module
 */
import { utf8Length } from '../go/go-text.js';

/**
 * Checks a name. With `prefix`, the name is a `generateName`, the start of a generated name.
 *
 * @returns the problems with the messages of Kubernetes; empty for a valid name
 */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

/** Maximum length of a DNS label, of the name part of a label key and of a label value, in bytes. */
export const DNS_LABEL_MAX_LENGTH = 63;
/** Maximum length of a DNS subdomain, in bytes. */
export const DNS_SUBDOMAIN_MAX_LENGTH = 253;

const NONE: readonly string[] = Object.freeze([]);

const LABEL_PATTERN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_PATTERN = `${LABEL_PATTERN}(\\.${LABEL_PATTERN})*`;
const LABEL_1035_PATTERN = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED_PATTERN = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE_PATTERN = `(${QUALIFIED_PATTERN})?`;

const SUBDOMAIN_TEXT = patternText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_PATTERN,
  'example.com',
);
const LABEL_TEXT = patternText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL_PATTERN,
  'my-name',
  '123-abc',
);
const LABEL_1035_TEXT = patternText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035_PATTERN,
  'my-name',
  'abc-123',
);
const QUALIFIED_TEXT = patternText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED_PATTERN,
  'MyName',
  'my.name',
  '123-abc',
);
const VALUE_TEXT = patternText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  VALUE_PATTERN,
  'MyValue',
  'my_value',
  '12345',
);
const EMPTY_TEXT = 'must be non-empty';

/** Returns the message for a text that does not match a pattern: the requirement, valid examples, and the pattern. */
export function patternText(requirement: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${requirement} (regex used for validation is '${pattern}')`;
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${requirement} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** Returns the message for a text with too many bytes. */
export function maxLengthText(length: number): string {
  return `must be no more than ${length} characters`;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLowerAlphanumeric(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || isDigit(code);
}

function isAlphanumeric(code: number): boolean {
  return isLowerAlphanumeric(code) || (code >= 0x41 && code <= 0x5a);
}

/** Returns true for labels of lower-case letters, digits and inner dashes, joined by dots, in `text[start, end)`. */
function isSubdomainForm(text: string, start: number, end: number, dots: boolean): boolean {
  let afterAlphanumeric = false;
  let labelStart = true;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (isLowerAlphanumeric(code)) {
      afterAlphanumeric = true;
      labelStart = false;
    } else if (code === 0x2d && !labelStart) {
      afterAlphanumeric = false;
    } else if (code === 0x2e && dots && afterAlphanumeric) {
      afterAlphanumeric = false;
      labelStart = true;
    } else {
      return false;
    }
  }
  return afterAlphanumeric;
}

/** Returns true for letters, digits and inner dashes, underscores and dots, in `text[start, end)`. */
function isQualifiedForm(text: string, start: number, end: number): boolean {
  if (start >= end || !isAlphanumeric(text.charCodeAt(start)) || !isAlphanumeric(text.charCodeAt(end - 1)))
    return false;
  for (let index = start + 1; index < end - 1; index += 1) {
    const code = text.charCodeAt(index);
    if (!isAlphanumeric(code) && code !== 0x2d && code !== 0x5f && code !== 0x2e) return false;
  }
  return true;
}

/** Returns a prefix with a letter in place of its trailing dash, since the generated suffix will end the name. */
function maskTrailingDash(name: string): string {
  // Kubernetes also removes the byte before the dash. A multi-byte character there stays and is found invalid.
  return name.length > 1 && name.endsWith('-') && name.charCodeAt(name.length - 2) < 0x80
    ? `${name.slice(0, -2)}a`
    : name;
}

/** Returns the problems of a DNS subdomain (RFC 1123): labels joined by dots, at most 253 characters. */
export function dnsSubdomainErrors(value: string): readonly string[] {
  const wellFormed = isSubdomainForm(value, 0, value.length, true);
  if (wellFormed && value.length <= DNS_SUBDOMAIN_MAX_LENGTH) return NONE;
  const found: string[] = [];
  if (utf8Length(value) > DNS_SUBDOMAIN_MAX_LENGTH) found.push(maxLengthText(DNS_SUBDOMAIN_MAX_LENGTH));
  if (!wellFormed) found.push(SUBDOMAIN_TEXT);
  return found;
}

/**
 * Returns the problems of a DNS label (RFC 1123): lower-case letters, digits and inner dashes, at most 63 characters.
 */
export function dnsLabelErrors(value: string): readonly string[] {
  const wellFormed = isSubdomainForm(value, 0, value.length, false);
  if (wellFormed && value.length <= DNS_LABEL_MAX_LENGTH) return NONE;
  const found: string[] = [];
  if (utf8Length(value) > DNS_LABEL_MAX_LENGTH) found.push(maxLengthText(DNS_LABEL_MAX_LENGTH));
  // A valid subdomain that is not a label has dots, which is a more helpful message than the whole rule.
  if (!wellFormed) found.push(isSubdomainForm(value, 0, value.length, true) ? 'must not contain dots' : LABEL_TEXT);
  return found;
}

/** Returns the problems of a DNS label in the older sense (RFC 1035), which must start with a letter. */
export function dnsLabel1035Errors(value: string): readonly string[] {
  const wellFormed = isSubdomainForm(value, 0, value.length, false) && !isDigit(value.charCodeAt(0));
  if (wellFormed && value.length <= DNS_LABEL_MAX_LENGTH) return NONE;
  const found: string[] = [];
  if (utf8Length(value) > DNS_LABEL_MAX_LENGTH) found.push(maxLengthText(DNS_LABEL_MAX_LENGTH));
  if (!wellFormed) found.push(LABEL_1035_TEXT);
  return found;
}

/** Names that are a DNS subdomain (RFC 1123); the rule of most kinds. */
export const dnsSubdomain: NameRule = (name, prefix) => dnsSubdomainErrors(prefix ? maskTrailingDash(name) : name);

/** Names that are a DNS label (RFC 1123). */
export const dnsLabel: NameRule = (name, prefix) => dnsLabelErrors(prefix ? maskTrailingDash(name) : name);

/** Names that are a DNS label in the older sense (RFC 1035). */
export const dnsLabel1035: NameRule = (name, prefix) => dnsLabel1035Errors(prefix ? maskTrailingDash(name) : name);

/** Names of namespaces. */
export const namespaceName: NameRule = dnsLabel;

/** Names of service accounts. */
export const serviceAccountName: NameRule = dnsSubdomain;

/**
 * Names that must only fit into one path segment: the rule of access-control objects, and the minimum for every kind.
 */
export const pathSegment: NameRule = (name, prefix) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  const slash = name.includes('/');
  const percent = name.includes('%');
  if (!slash && !percent) return NONE;
  return [...(slash ? ["may not contain '/'"] : []), ...(percent ? ["may not contain '%'"] : [])];
};

/**
 * Returns the problems of a qualified name: a name of at most 63 characters, with an optional DNS subdomain and slash
 * before it. Label keys, annotation keys (in lower case) and finalizers are such names.
 */
export function qualifiedName(key: string): readonly string[] {
  const slash = key.indexOf('/');
  const nameLength = key.length - slash - 1;
  const prefixFits = slash === -1 || (slash <= DNS_SUBDOMAIN_MAX_LENGTH && isSubdomainForm(key, 0, slash, true));
  if (prefixFits && nameLength <= DNS_LABEL_MAX_LENGTH && isQualifiedForm(key, slash + 1, key.length)) return NONE;
  return qualifiedNameErrors(key);
}

function qualifiedNameErrors(key: string): readonly string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const found: string[] = [];
  if (prefix === '') found.push(`prefix part ${EMPTY_TEXT}`);
  else if (prefix !== undefined) for (const text of dnsSubdomainErrors(prefix)) found.push(`prefix part ${text}`);
  if (name === '') found.push(`name part ${EMPTY_TEXT}`);
  else if (utf8Length(name) > DNS_LABEL_MAX_LENGTH) found.push(`name part ${maxLengthText(DNS_LABEL_MAX_LENGTH)}`);
  if (!isQualifiedForm(name, 0, name.length)) found.push(`name part ${QUALIFIED_TEXT}`);
  return found;
}

/**
 * Returns the problems of a label value: empty, or at most 63 letters, digits and inner dashes, underscores and dots.
 */
export function labelValue(value: string): readonly string[] {
  const wellFormed = value === '' || isQualifiedForm(value, 0, value.length);
  if (wellFormed && value.length <= DNS_LABEL_MAX_LENGTH) return NONE;
  const found: string[] = [];
  if (utf8Length(value) > DNS_LABEL_MAX_LENGTH) found.push(maxLengthText(DNS_LABEL_MAX_LENGTH));
  if (!wellFormed) found.push(VALUE_TEXT);
  return found;
}

/**
 * The ABAC policy file: one JSON object a line, so that files can be joined, lines commented out, and errors found by their
 * line.
 *
 * @module
 */
import { messageOf } from '../../meta/error-message.js';
import { utf8Length } from '../../meta/go-text.js';
import type { Dialect } from '../../names/dialect.js';
import { decodePolicy } from './decode-policy.js';
import type { AbacPolicy } from './policy.js';

/** Bytes of a line with its end; the production system's reader stops there. */
const MAX_LINE_BYTES = 65_536;
const MAX_POLICIES = 100_000;

/** What a policy file says. */
export interface AbacPolicyFile {
  /** In the order of the file. */
  readonly policies: readonly AbacPolicy[];
  /** In the production system's words: that some lines do not say their version. */
  readonly warnings: readonly string[];
}

/** Options of {@link parseAbacPolicy}. */
export interface AbacPolicyOptions {
  /** How many policies a file may have. Default 100 000. */
  readonly maxPolicies?: number;
}

/**
 * Reads a policy file. Blank lines and lines that begin with `#` are skipped.
 *
 * @param path name of the file, for messages
 * @throws Error with the file, the line's number and the line for the first line that is not understood; a line of 64 KiB and
 * more, and more than `maxPolicies` policies, are errors too
 */
export function parseAbacPolicy(
  text: string,
  path: string,
  dialect: Dialect,
  options: AbacPolicyOptions = {},
): AbacPolicyFile {
  const { maxPolicies = MAX_POLICIES } = options;
  const policies: AbacPolicy[] = [];
  let isUnversioned = false;
  for (const [index, line] of linesOf(text).entries()) {
    if (isTooLong(line)) throw new Error(`error reading policy file ${path}: bufio.Scanner: token too long`);
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (policies.length === maxPolicies)
      throw new Error(`error reading policy file ${path}, line ${index + 1}: more than ${maxPolicies} policies`);
    const decoded = decodeLine(line, trimmed, dialect, `${path}, line ${index + 1}`);
    policies.push(Object.freeze(decoded.policy));
    isUnversioned ||= decoded.isUnversioned;
  }
  const warning = `Policy file ${path} contained unversioned rules. See docs/admin/authorization.md#abac-mode for ABAC file format details.`;
  return { policies, warnings: isUnversioned ? [warning] : [] };
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function isTooLong(line: string): boolean {
  return line.length * 3 >= MAX_LINE_BYTES && utf8Length(line) >= MAX_LINE_BYTES;
}

function decodeLine(line: string, trimmed: string, dialect: Dialect, where: string): ReturnType<typeof decodePolicy> {
  try {
    return decodePolicy(trimmed, dialect);
  } catch (error) {
    throw new Error(`error reading policy file ${where}: ${line}: ${messageOf(error)}`, { cause: error });
  }
}

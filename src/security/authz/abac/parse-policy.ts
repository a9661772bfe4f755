/**
 * The ABAC policy file. It has one JSON object per line, so files can be concatenated, lines commented out, and errors
 * located by line.
 *
 * @module
 */
import { messageOf, utf8Length, type Dialect } from '../../../foundation/index.js';
import { decodePolicy } from './decode-policy.js';
import type { AbacPolicy } from './policy.js';

/** Maximum bytes of a line with its line break: the limit of the reader in Kubernetes. */
const MAX_LINE_BYTES = 65_536;
const MAX_POLICIES = 100_000;

/** A parsed policy file. */
export interface AbacPolicyFile {
  /** In file order. */
  readonly policies: readonly AbacPolicy[];
  /** Warnings in the words of Kubernetes: some lines have no version. */
  readonly warnings: readonly string[];
}

/** Options of {@link parseAbacPolicy}. */
export interface AbacPolicyOptions {
  /** Maximum number of policies. Default 100,000. */
  readonly maxPolicies?: number | undefined;
}

/**
 * Parses a policy file. Blank lines and lines that start with `#` are skipped.
 *
 * @param path name of the file, for messages
 * @throws Error with file, line number and line for the first invalid line, for a line of 64 KiB or more, and for more
 *   than `maxPolicies` policies
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

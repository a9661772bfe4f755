/**
 * Values and keys of the scalars of a YAML document, by the rules of Kubernetes' YAML library.
 *
 * @module
 */
import { decodeBase64, decodeUtf8, goFloat, integerValue, type JsonValue } from '../../../../foundation/index.js';
import { DecodeProblem } from '../../decode-problem.js';
import type { MappingKey } from '../yaml-members.js';
import { isPlainText, resolveScalar, type ResolvedScalar } from '../yaml-scalar.js';

const TAG_PREFIX = 'tag:yaml.org,2002:';
/** Tags that resolve a scalar. A scalar with any other tag remains text. */
const RESOLVABLE: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'null', 'timestamp']);

/** A scalar, as it stands in the document. */
export interface NodeScalar {
  readonly text: string;
  /** Whether it has neither quotes nor a block style. */
  readonly isPlain: boolean;
  /** Its complete tag; undefined for none. */
  readonly tag: string | undefined;
}

/** Whether a scalar resolves by its text alone: the tag `!` has that meaning, too. */
const isImplicit = ({ isPlain, tag }: NodeScalar): boolean => (tag === undefined ? isPlain : tag === '!');

/** Returns true for the key whose value is merged into its mapping. */
export const isMergeKey = (scalar: NodeScalar): boolean =>
  scalar.text === '<<' && (isImplicit(scalar) || scalar.tag === `${TAG_PREFIX}merge`);

/** Returns the JSON value. @throws DecodeProblem for what JSON does not have, and for another type than that of the tag */
export function scalarValue(scalar: NodeScalar): JsonValue {
  if (scalar.tag === undefined && (!scalar.isPlain || isPlainText(scalar.text))) return scalar.text;
  const { value, tag } = resolve(scalar);
  if (typeof value === 'bigint') return integerValue(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw new DecodeProblem(
    `json: unsupported value: ${tag === 'float' && value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'}`,
  );
}

/** Returns the key. @throws DecodeProblem for null, and for another type than that of the tag */
export function scalarKey(scalar: NodeScalar): MappingKey {
  const { text } = scalar;
  if (scalar.tag === undefined && (!scalar.isPlain || isPlainText(text))) return { text, typed: undefined };
  const resolved = resolve(scalar);
  const { tag, value } = resolved;
  return { text: keyText(resolved), typed: tag === 'str' ? undefined : `${tag} ${String(value)}` };
}

function resolve(scalar: NodeScalar): ResolvedScalar {
  const { text } = scalar;
  if (isImplicit(scalar)) {
    const resolved = resolveScalar(text);
    // Times are recognised so that the encoder quotes them; they stay text.
    return resolved.tag === 'merge' || resolved.tag === 'timestamp' ? { tag: 'str', value: text } : resolved;
  }
  const tag = scalar.tag?.startsWith(TAG_PREFIX) ? scalar.tag.slice(TAG_PREFIX.length) : '';
  if (tag === 'binary') return { tag: 'str', value: decodeBinary(text) };
  return RESOLVABLE.has(tag) ? resolveTagged(tag, text) : { tag: 'str', value: text };
}

function resolveTagged(tag: string, text: string): ResolvedScalar {
  const resolved = resolveScalar(text);
  if (resolved.tag === tag) return tag === 'timestamp' ? { tag: 'str', value: text } : resolved;
  if (tag === 'float' && resolved.tag === 'int') return { tag: 'float', value: Number(resolved.value) };
  throw new DecodeProblem(`yaml: cannot decode !!${resolved.tag} \`${text}\` as a !!${tag}`);
}

function decodeBinary(text: string): string {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new DecodeProblem('yaml: !!binary value contains invalid base64 data');
  return decodeUtf8(bytes);
}

function keyText(key: ResolvedScalar): string {
  if (key.value === null) throw new DecodeProblem('unsupported map key of type: invalid, key: <nil>');
  if (key.tag !== 'float' || typeof key.value !== 'number') return String(key.value);
  if (Number.isNaN(key.value)) return '.nan';
  return Number.isFinite(key.value) ? goFloat(key.value) : key.value > 0 ? '.inf' : '-.inf';
}

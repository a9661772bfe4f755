import { decodeBase64 } from '../encoding/base64.js';
import type { Node, ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { JsonValue } from '../meta/json.js';
import type { DecodedDocument } from './codec.js';
import { DecodeProblem } from './decode-problem.js';
import { goQuote } from '../meta/go-text.js';
import { goFloat } from '../meta/go-values.js';
import { unsafeInteger } from './json-number.js';
import { setOwnMember } from '../encoding/own-property.js';
import { decodeUtf8 } from '../encoding/utf8.js';
import type { ComposedYaml, YamlLibrary } from './yaml-compose.js';
import { resolveScalar, type ResolvedScalar } from './yaml-scalar.js';

/** Maximum number of duplicate keys reported. */
const MAX_DUPLICATES = 100;
const TAG_PREFIX = 'tag:yaml.org,2002:';
/** Tags that resolve a scalar. A scalar with any other tag remains text. */
const RESOLVABLE: ReadonlySet<string> = new Set(['bool', 'int', 'float', 'null', 'timestamp']);

/**
 * Converts a YAML document to JSON.
 *
 * @throws DecodeProblem for unknown, recursive or excessive aliases, keys that are collections, and numbers that JSON
 *   does not support
 */
export function convertYaml(yaml: YamlLibrary, composed: ComposedYaml): DecodedDocument {
  const converter = new Converter(yaml, composed);
  const contents: ParsedNode | null = composed.document.contents;
  const value = contents === null ? null : converter.node(contents);
  return { value, duplicates: converter.duplicates, duplicateForm: 'line' };
}

/** A mapping during conversion: values by key, and the typed keys that occurred. */
interface OpenMapping {
  readonly values: Map<string, JsonValue>;
  readonly seen: Set<string>;
}

class Converter {
  readonly duplicates: string[] = [];
  readonly #anchors = new Map<string, Node>();
  /** Nodes whose aliases are being expanded, to detect recursion. */
  readonly #expanding = new Set<Node>();
  #decoded = 0;
  #decodedInAliases = 0;

  readonly #yaml: YamlLibrary;
  readonly #composed: ComposedYaml;

  constructor(yaml: YamlLibrary, composed: ComposedYaml) {
    this.#yaml = yaml;
    this.#composed = composed;
  }

  node(node: Node): JsonValue {
    this.#count();
    const yaml = this.#yaml;
    if (yaml.isAlias(node)) return this.#alias(node.source, (target) => this.node(target));
    this.#anchor(node);
    if (yaml.isScalar(node)) return this.#scalar(node);
    if (yaml.isMap(node)) return sorted(this.#fill(node, { values: new Map(), seen: new Set() }).values);
    if (yaml.isSeq(node)) return this.#sequence(node);
    throw new DecodeProblem('yaml: unknown node');
  }

  #anchor(node: Node): void {
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) this.#anchors.set(anchor, node);
  }

  /**
   * Counts a node. Like Go's YAML library, refuses a document in which aliases exceed a share that falls with its size.
   */
  #count(): void {
    this.#decoded += 1;
    if (this.#expanding.size > 0) this.#decodedInAliases += 1;
    if (this.#decodedInAliases <= 100 || this.#decoded <= 1000) return;
    const allowed =
      this.#decoded <= 400_000
        ? 0.99
        : this.#decoded >= 4_000_000
          ? 0.1
          : 0.99 - 0.89 * ((this.#decoded - 400_000) / 3_600_000);
    if (this.#decodedInAliases / this.#decoded > allowed)
      throw new DecodeProblem('yaml: document contains excessive aliasing');
  }

  #alias<Result>(name: string, read: (target: Node) => Result): Result {
    const target = this.#anchors.get(name);
    if (target === undefined) throw new DecodeProblem(`yaml: unknown anchor '${name}' referenced`);
    if (this.#expanding.has(target)) throw new DecodeProblem(`yaml: anchor '${name}' value contains itself`);
    this.#expanding.add(target);
    const result = read(target);
    this.#expanding.delete(target);
    return result;
  }

  #sequence(node: YAMLSeq): JsonValue {
    const items: JsonValue[] = [];
    for (const item of node.items) items.push(this.#yaml.isNode(item) ? this.node(item) : null);
    return items;
  }

  #fill(node: YAMLMap, mapping: OpenMapping): OpenMapping {
    for (const { key, value } of node.items) {
      const valueNode = this.#yaml.isNode(value) ? value : undefined;
      if (this.#isMergeKey(key)) {
        if (valueNode !== undefined) this.#merge(valueNode, mapping);
        continue;
      }
      const resolved = this.#key(key);
      const member = valueNode === undefined ? null : this.node(valueNode);
      const identity = `${resolved.tag} ${String(resolved.value)}`;
      if (mapping.seen.has(identity)) this.#report(resolved, valueNode ?? (this.#yaml.isNode(key) ? key : undefined));
      mapping.seen.add(identity);
      mapping.values.set(keyText(resolved), member);
    }
    return mapping;
  }

  #isMergeKey(key: unknown): boolean {
    return (
      this.#yaml.isScalar(key) &&
      key.source === '<<' &&
      key.type === 'PLAIN' &&
      (key.tag === undefined || key.tag === `${TAG_PREFIX}merge`)
    );
  }

  /** Merges the members of one or several mappings; earlier mappings win. */
  #merge(node: Node, mapping: OpenMapping): void {
    this.#count();
    const yaml = this.#yaml;
    if (yaml.isAlias(node)) return this.#alias(node.source, (target) => this.#merge(target, mapping));
    this.#anchor(node);
    if (yaml.isMap(node)) {
      this.#fill(node, mapping);
    } else if (yaml.isSeq(node) && node.items.every((item) => yaml.isMap(item) || yaml.isAlias(item))) {
      for (const item of [...node.items].reverse()) if (yaml.isNode(item)) this.#merge(item, mapping);
    } else {
      throw new DecodeProblem('yaml: map merge requires map or sequence of maps as the value');
    }
  }

  #key(key: unknown): ResolvedScalar {
    if (this.#yaml.isAlias(key)) return this.#alias(key.source, (target) => this.#key(target));
    if (!this.#yaml.isScalar(key)) throw new DecodeProblem('yaml: invalid map key');
    this.#anchor(key);
    return this.#resolve(key);
  }

  #report(key: ResolvedScalar, at: Node | undefined): void {
    if (this.duplicates.length >= MAX_DUPLICATES) return;
    const { line } = this.#composed.lines.linePos(at?.range?.[0] ?? 0);
    const text = typeof key.value === 'string' ? goQuote(key.value) : keyText(key);
    this.duplicates.push(`line ${line}: key ${text} already set in map`);
  }

  #scalar(node: Scalar): JsonValue {
    const { value, tag } = this.#resolve(node);
    if (typeof value === 'bigint') throw unsafeInteger(String(value), '');
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    throw new DecodeProblem(
      `json: unsupported value: ${tag === 'float' && value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'}`,
    );
  }

  #resolve(node: Scalar): ResolvedScalar {
    const text = node.source ?? '';
    const tag = node.tag?.startsWith(TAG_PREFIX) ? node.tag.slice(TAG_PREFIX.length) : node.tag;
    if (tag === undefined) {
      const resolved = node.type === 'PLAIN' || node.type === undefined ? resolveScalar(text) : undefined;
      // Times are recognised so that the encoder quotes them; they stay text.
      return resolved === undefined || resolved.tag === 'merge' || resolved.tag === 'timestamp'
        ? { tag: 'str', value: text }
        : resolved;
    }
    if (tag === 'binary') return { tag: 'str', value: decodeBinary(text) };
    return RESOLVABLE.has(tag) ? resolveTagged(tag, text) : { tag: 'str', value: text };
  }
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

/** Sorts the members by key, as Kubernetes' conversion through JSON does. */
function sorted(values: ReadonlyMap<string, JsonValue>): JsonValue {
  const object: Record<string, JsonValue> = {};
  for (const key of [...values.keys()].sort()) setOwnMember(object, key, values.get(key) ?? null);
  return object;
}

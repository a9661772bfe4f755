/**
 * The descriptions of the built-in types and their fields, each written once: for `kubectl explain`, which reads them in
 * OpenAPI documents, and for the comments of the generated TypeScript types.
 *
 * A line at the margin begins a type, named with the group but without the version: versions of a group share their
 * types' descriptions. The indented lines after it are its fields. Fields that a type does not describe are described by
 * the type after `<`, then by the type `*`.
 *
 *     core.EphemeralContainer < core.Container: A container that is added to a running pod.
 *       targetContainerName: The container whose processes it sees.
 *
 * @module
 */
import { access } from './descriptions/access.js';
import { core } from './descriptions/core.js';
import { devices } from './descriptions/devices.js';
import { extensions } from './descriptions/extensions.js';
import { meta } from './descriptions/meta.js';
import { network } from './descriptions/network.js';
import { pods } from './descriptions/pods.js';
import { server } from './descriptions/server.js';
import { volumes } from './descriptions/volumes.js';
import { workloads } from './descriptions/workloads.js';

/** The description of a type. */
interface DescribedType {
  /** Empty for a type that no description says anything about. */
  readonly text: string;
  /** The type that describes the other fields. */
  readonly base: string;
  readonly fields: Map<string, string>;
}

const COMMON = '*';

const TYPE = /^([^ :]+)(?: < ([^ :]+))?: ?(.*)$/;
const FIELD = /^ {2}([^ :]+): (.*)$/;

/** @throws Error for a line in another form, or a second description */
function parse(texts: readonly string[]): Map<string, DescribedType> {
  const types = new Map<string, DescribedType>();
  let fields: Map<string, string> | undefined;
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    if (line === '') continue;
    const [, field, description] = FIELD.exec(line) ?? [];
    if (field !== undefined && description !== undefined) {
      if (fields === undefined || fields.has(field)) throw new Error(`a field without its type, or twice: ${line}`);
      fields.set(field, description);
      continue;
    }
    const [, type, base = COMMON, text] = TYPE.exec(line) ?? [];
    if (type === undefined || text === undefined || types.has(type)) throw new Error(`not a type, or twice: ${line}`);
    fields = new Map();
    types.set(type, { text, base, fields });
  }
  return types;
}

const types = parse([access, core, devices, extensions, meta, network, pods, server, volumes, workloads]);

/** Returns the name without its version: `core.Pod` of `core.v1.Pod`. */
const withoutVersion = (type: string): string => type.replace(/\.v[0-9][a-z0-9]*\./, '.');

/** Returns the name of a vendor extension without the dialect's part: `x-list-type`. */
const withoutDialect = (field: string): string => field.replace(/^x-[a-z0-9]+-/, 'x-');

/**
 * Returns the description of a built-in type; undefined when there is none.
 *
 * @param type name with its package: `core.v1.Pod`
 */
export function typeDescription(type: string): string | undefined {
  return types.get(withoutVersion(type))?.text;
}

/**
 * Returns the description of a field of a built-in type; undefined when there is none.
 *
 * @param type name with its package: `core.v1.Pod`
 * @param field name in JSON
 */
export function fieldDescription(type: string, field: string): string | undefined {
  const name = withoutDialect(field);
  for (let at = types.get(withoutVersion(type)); at !== undefined; at = types.get(at.base)) {
    const description = at.fields.get(name);
    if (description !== undefined) return description;
    if (at === types.get(COMMON)) return undefined;
  }
  return undefined;
}

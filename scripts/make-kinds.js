/**
 * Makes the TypeScript types of the built-in kinds (`src/kinds`) from a catalogue of facts about them.
 *
 *     node scripts/make-kinds.js ../shared/catalogue
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const [catalogue] = process.argv.slice(2);
if (catalogue === undefined) throw new Error('usage: node scripts/make-kinds.js <folder of the catalogue>');
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => JSON.parse(readFileSync(join(catalogue, name), 'utf8'));

const { types } = read('types.json');
const { groups, kinds } = read('kinds.json');
const byName = new Map(types.map((type) => [type.name, type]));

/** Types that the package declares by hand, because every module uses them. */
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const DECLARED_META = new Set(['ObjectMeta', 'ManagedFieldsEntry', 'OwnerReference']);

const isDeclared = (name) => name.startsWith(META) && DECLARED_META.has(localName(name));

/** Types whose JSON has a form of its own. */
const CUSTOM = {
  JSON: 'JsonValue',
  JSONSchemaPropsOrArray: 'JSONSchemaProps | JSONSchemaProps[]',
  JSONSchemaPropsOrBool: 'JSONSchemaProps | boolean',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps | string[]',
};

/** Returns the module of a type: `apps-v1`. */
function moduleOf(name) {
  const [, group, version] =
    /([a-z]+)\.(v[0-9a-z]+)\.[A-Za-z0-9]+$/.exec(name) ?? fail(`${name}: a type without group and version`);
  return `${group}-${version}`;
}

const fail = (text) => {
  throw new Error(text);
};
const localName = (name) => name.slice(name.lastIndexOf('.') + 1);
/** Name of the namespace of a module in the index: `appsV1`. */
const namespaceOf = (module) => module.replace(/-v/, 'V');

const scalars = {
  string: 'string',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bool: 'boolean',
  bytes: 'string',
  quantity: 'string',
  intOrString: 'number | string',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  rawExtension: 'JsonValue',
  fieldsV1: 'JsonValue',
  any: 'JsonValue',
};

class Module {
  imports = new Map();

  constructor(name, rows) {
    this.name = name;
    this.rows = rows;
  }

  reference(name) {
    const local = localName(name);
    const module = moduleOf(name);
    if (isDeclared(name)) return this.#import('../meta/object.js', local, local);
    if (module === this.name) return local;
    // Types of two modules may have one name.
    const own = this.rows.some((row) => localName(row.name) === local);
    return this.#import(`./${module}.js`, local, own ? `${namespaceOf(module)}${local}` : local);
  }

  #import(from, name, as) {
    const names = this.imports.get(from) ?? new Map();
    this.imports.set(from, names.set(name, as));
    return as;
  }

  typeOf(field) {
    if (field.type === 'ref') return this.reference(field.ref);
    if (field.type === 'array') {
      const item = this.typeOf(field.items);
      return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`;
    }
    if (field.type === 'map') return `Record<string, ${this.typeOf(field.values)}>`;
    const scalar = scalars[field.type] ?? fail(`${field.type}: an unknown type`);
    if (scalar === 'JsonValue') return this.#import('../meta/json.js', 'JsonValue', 'JsonValue');
    return scalar;
  }

  field(field) {
    const optional = field.required !== true;
    const nullable = field.nullable === true || (optional && !field.omitempty && isUnset(field));
    const type = `${this.typeOf(field)}${nullable ? ' | null' : ''}${optional ? ' | undefined' : ''}`;
    const name = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : JSON.stringify(field.name);
    return `  ${name}${optional ? '?' : ''}: ${type};`;
  }

  declaration(row) {
    if (row.custom !== undefined) {
      const text = CUSTOM[localName(row.name)] ?? fail(`${row.name}: an unknown form`);
      if (text === 'JsonValue') this.#import('../meta/json.js', text, text);
      return `export type ${localName(row.name)} = ${text};\n`;
    }
    const fields = row.fields.flatMap((field) => {
      if (field.inline !== true) return [this.field(field)];
      const inner = byName.get(field.ref) ?? fail(`${field.ref}: no such type`);
      return inner.fields.map((one) => this.field(one));
    });
    const typeMeta = row.typeMeta ? ['  apiVersion?: string;', '  kind?: string;'] : [];
    const [group, version, kind] = row.gvk ?? [];
    const about =
      kind === undefined ? '' : `/** ${kind} of \`${group === '' ? version : `${group}/${version}`}\`. */\n`;
    return `${about}export type ${localName(row.name)} = {\n${[...typeMeta, ...fields].join('\n')}\n};\n`;
  }

  text() {
    const body = this.rows.map((row) => this.declaration(row)).join('\n');
    const imports = [...this.imports]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([from, names]) => {
        const list = [...names].sort().map(([name, as]) => (name === as ? name : `${name} as ${as}`));
        return `import type { ${list.join(', ')} } from '${from}';\n`;
      });
    return `${imports.join('')}\n${body}`;
  }
}

/** Returns whether JSON writes null for an absent value: for pointers, lists, maps and times. */
const isUnset = ({ type, pointer }) => pointer === true || ['array', 'map', 'time', 'microTime'].includes(type);

const HEADER = '// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.\n\n';
const options = await resolveConfig(join(root, 'package.json'));

async function write(path, text) {
  writeFileSync(join(root, path), await format(HEADER + text, { ...options, parser: 'typescript' }));
}

const rows = types.filter(({ name }) => !isDeclared(name));
const modules = new Map();
for (const row of rows) {
  const name = moduleOf(row.name);
  const module = modules.get(name) ?? new Module(name, []);
  module.rows.push(row);
  modules.set(name, module);
}
mkdirSync(join(root, 'src/kinds'), { recursive: true });
for (const [name, module] of modules) await write(`src/kinds/${name}.ts`, module.text());

/** Modules in the order in which their types get the plain names: metadata, then groups, preferred versions only. */
const preferred = groups.map(({ group, preferredVersion }) => {
  const kind = kinds.find((one) => one.group === group && one.version === preferredVersion && one.type !== undefined);
  return moduleOf(kind.type);
});
const taken = new Set(DECLARED_META);
const plain = ['meta-v1', ...new Set(preferred)].flatMap((name) => {
  const module = modules.get(name);
  if (module === undefined) return [];
  const names = module.rows.map((row) => localName(row.name)).filter((one) => !taken.has(one));
  for (const one of names) taken.add(one);
  return [`export type { ${names.sort().join(', ')} } from './${name}.js';\n`];
});
const namespaces = [...modules.keys()]
  .sort()
  .map((name) => `export type * as ${namespaceOf(name)} from './${name}.js';\n`);
await write(
  'src/kinds/index.ts',
  `/**
 * TypeScript types of all built-in kinds, as JSON has them: times and quantities are strings.
 *
 * A type has its plain name when its version is the preferred one of its group: \`Deployment\`. Where two groups use a
 * name, it belongs to the group that discovery lists first: \`Event\` is that of the core group. The namespaces have all
 * types: \`autoscalingV1.HorizontalPodAutoscaler\`, \`eventsV1.Event\`.
 *
 * @module
 */
export type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../meta/object.js';
${plain.join('')}${namespaces.join('')}`,
);

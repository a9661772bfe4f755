/** Writes the TypeScript types of the built-in kinds: a module for each group version, and an index. */
import {
  DECLARED_META,
  fail,
  isDeclared,
  isList,
  isNullable,
  isNullStruct,
  localName,
  META,
  moduleOf,
  modulesOf,
  namespaceOf,
  read,
  shortName,
} from './catalogue.js';

/** Types whose JSON has a form of its own. */
const CUSTOM = {
  JSON: 'JsonValue',
  JSONSchemaPropsOrArray: 'JSONSchemaProps | JSONSchemaProps[]',
  JSONSchemaPropsOrBool: 'JSONSchemaProps | boolean',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps | string[]',
};

const SCALARS = {
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

/** The door of the wing with the types that are declared by hand. */
const FOUNDATION = '../../foundation/index.js';

/** Fields of lists, which have no descriptions of their own. */
const LIST_FIELDS = { items: 'The objects.', metadata: 'Metadata of the collection.' };

/** Returns a doc comment; empty without a text. */
const comment = (text, indent) =>
  text === undefined || text === '' ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;

/** Writes one module. */
class Module {
  #imports = new Map();
  #name;
  #rows;
  #byName;
  #descriptions;

  constructor(name, rows, { byName, descriptions }) {
    this.#name = name;
    this.#rows = rows;
    this.#byName = byName;
    this.#descriptions = descriptions;
  }

  #import(from, name, as) {
    const names = this.#imports.get(from) ?? new Map();
    this.#imports.set(from, names.set(name, as));
    return as;
  }

  #reference(name) {
    const local = localName(name);
    const module = moduleOf(name);
    if (isDeclared(name)) return this.#import(FOUNDATION, local, local);
    if (module === this.#name) return local;
    // Types of two modules may have one name.
    const own = this.#rows.some((row) => localName(row.name) === local);
    return this.#import(`./${module}.js`, local, own ? `${namespaceOf(module)}${local}` : local);
  }

  #typeOf(field) {
    if (field.type === 'ref') return this.#reference(field.ref);
    if (field.type === 'array') {
      const item = this.#typeOf(field.items);
      return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`;
    }
    if (field.type === 'map') return `Record<string, ${this.#typeOf(field.values)}>`;
    const scalar = SCALARS[field.type] ?? fail(`${field.type}: an unknown type`);
    return scalar === 'JsonValue' ? this.#import(FOUNDATION, scalar, scalar) : scalar;
  }

  /** Writes a field of a type, which may come from a type that is inlined there (`from`). */
  #field(field, row, from) {
    // An object of a kind without metadata cannot be created or read.
    const isKindMeta = field.ref === `${META}ObjectMeta` && row.gvk !== undefined;
    const optional = field.required !== true && !isKindMeta;
    // A required time is missing only in objects that are not valid.
    const nullable = isNullable(field, from.name) && !(isNullStruct(field) && field.required === true);
    const type = `${this.#typeOf(field)}${nullable ? ' | null' : ''}${optional ? ' | undefined' : ''}`;
    const name = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : JSON.stringify(field.name);
    const text = this.#descriptions.fieldDescription(shortName(row.name), field.name);
    const about = isList(row) ? (LIST_FIELDS[field.name] ?? text) : text;
    return `${comment(about, '  ')}  ${name}${optional ? '?' : ''}: ${type};`;
  }

  /** Writes the fields of a type, with those of the types inlined in it. */
  #fields(row, from = row) {
    return from.fields.flatMap((field) =>
      field.inline === true
        ? this.#fields(row, this.#byName.get(field.ref) ?? fail(`${field.ref}: no such type`))
        : [this.#field(field, row, from)],
    );
  }

  #declaration(row) {
    const local = localName(row.name);
    const about = isList(row) ? `A collection of ${local.slice(0, -4)} objects.` : undefined;
    const head = `${comment(about ?? this.#descriptions.typeDescription(shortName(row.name)), '')}export type ${local}`;
    if (row.custom !== undefined) {
      const text = CUSTOM[local] ?? fail(`${row.name}: an unknown form`);
      if (text === 'JsonValue') this.#import(FOUNDATION, text, text);
      return `${head} = ${text};\n`;
    }
    const typeMeta = ['apiVersion', 'kind'].map(
      (name) => `${comment(this.#descriptions.fieldDescription('*', name), '  ')}  ${name}?: string | undefined;`,
    );
    const members = [...(row.typeMeta ? typeMeta : []), ...this.#fields(row)];
    return `${head} = ${members.length === 0 ? 'object' : `{\n${members.join('\n')}\n}`};\n`;
  }

  text() {
    const body = this.#rows.map((row) => this.#declaration(row)).join('\n');
    const imports = [...this.#imports]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([from, names]) => {
        const list = [...names].sort().map(([name, as]) => (name === as ? name : `${name} as ${as}`));
        return `import type { ${list.join(', ')} } from '${from}';\n`;
      });
    return `${imports.join('')}\n${body}`;
  }
}

/** Writes the index: plain names for the preferred versions, and a namespace for each module. */
function indexText(modules, { groups, kinds }) {
  const preferred = groups.map(({ group, preferredVersion }) => {
    const kind = kinds.find((one) => one.group === group && one.version === preferredVersion && one.type !== undefined);
    return moduleOf(kind.type);
  });
  const taken = new Set(DECLARED_META);
  const plain = ['meta-v1', ...new Set(preferred)].flatMap((name) => {
    const names = (modules.get(name) ?? []).map((row) => localName(row.name)).filter((one) => !taken.has(one));
    for (const one of names) taken.add(one);
    return names.length === 0 ? [] : [`export type {\n  ${names.sort().join(',\n  ')},\n} from './${name}.js';\n`];
  });
  const namespaces = [...modules.keys()]
    .sort()
    .map((name) => `export type * as ${namespaceOf(name)} from './${name}.js';\n`);
  return `/**
 * TypeScript types of all built-in kinds and of what their objects contain, as JSON has them: times and quantities are
 * strings.
 *
 * A type has its plain name when its version is the preferred one of its group: \`DeploymentSpec\`. Where two groups use
 * a name, it belongs to the group that discovery lists first: \`EventSeries\` is that of the core group. The namespaces
 * have all types: \`autoscalingV1.HorizontalPodAutoscaler\`, \`eventsV1.Event\`.
 *
 * @module
 */
export type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '${FOUNDATION}';
${plain.join('')}${namespaces.join('')}`;
}

/**
 * Returns the text of each module, by the name of its file.
 *
 * @param descriptions the descriptions of types and fields
 */
export function typeModules(descriptions) {
  const { types } = read('types.json');
  const modules = modulesOf(types);
  const context = { byName: new Map(types.map((type) => [type.name, type])), descriptions };
  const texts = new Map([['index.ts', indexText(modules, read('kinds.json'))]]);
  for (const [name, rows] of modules) texts.set(`${name}.ts`, new Module(name, rows, context).text());
  return texts;
}

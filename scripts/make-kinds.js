/**
 * Makes the TypeScript types of the built-in kinds (`src/kinds/types`) and the data that their schemas are built from
 * (`src/kinds/facts/data`) from a catalogue of facts about a release (`scripts/kinds/catalogue`). `scripts/kinds` has
 * what the catalogue lacks.
 *
 *     node scripts/make-kinds.js [FOLDER OF ANOTHER CATALOGUE]
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = fileURLToPath(new URL('..', import.meta.url));
const [catalogue = join(root, 'scripts/kinds/catalogue')] = process.argv.slice(2);
const read = (name) => JSON.parse(readFileSync(join(catalogue, name), 'utf8'));

const { types } = read('types.json');
const { groupOrder, groups, kinds } = read('kinds.json');
const ours = (name) => JSON.parse(readFileSync(join(root, 'scripts/kinds', name), 'utf8'));
const descriptions = ours('descriptions.json');
const goTypes = ours('go-types.json');
const { nullLists } = ours('corrections.json');
const byName = new Map(types.map((type) => [type.name, type]));

/** Name of a type with its package, without the packages that all have in common: `core.v1.Pod`. */
const shortName = (name) => name.split('.').slice(-3).join('.');

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

  field(field, owner) {
    const optional = field.required !== true;
    // A required time is missing only in objects that are not valid.
    const nullable = isNullable(field, owner) && !(isNullStruct(field) && field.required === true);
    const type = `${this.typeOf(field)}${nullable ? ' | null' : ''}${optional ? ' | undefined' : ''}`;
    const name = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : JSON.stringify(field.name);
    return `${comment(descriptions[shortName(owner)]?.[field.name], '  ')}  ${name}${optional ? '?' : ''}: ${type};`;
  }

  /** Returns the declarations of the fields of a type, with those of the types inlined in it. */
  fields(row) {
    return row.fields.flatMap((field) =>
      field.inline === true
        ? this.fields(byName.get(field.ref) ?? fail(`${field.ref}: no such type`))
        : [this.field(field, row.name)],
    );
  }

  declaration(row) {
    if (row.custom !== undefined) {
      const text = CUSTOM[localName(row.name)] ?? fail(`${row.name}: an unknown form`);
      if (text === 'JsonValue') this.#import('../meta/json.js', text, text);
      return `export type ${localName(row.name)} = ${text};\n`;
    }
    const fields = this.fields(row);
    const typeMeta = row.typeMeta ? ['  apiVersion?: string;', '  kind?: string;'] : [];
    const [group, version, kind] = row.gvk ?? [];
    const fallback =
      kind === undefined
        ? undefined
        : `${kind} of version ${version}${group === '' ? '' : ` of the group ${group.split('.')[0]}`}.`;
    const about = comment(descriptions[shortName(row.name)]?.[''] ?? fallback, '');
    const members = [...typeMeta, ...fields];
    const type = members.length === 0 ? 'object' : `{\n${members.join('\n')}\n}`;
    return `${about}export type ${localName(row.name)} = ${type};\n`;
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

/** Returns a doc comment; empty without a text. */
const comment = (text, indent) => (text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`);

/**
 * Returns whether JSON writes null for a field without a value. A time or free object that is not a pointer is
 * never omitted. Required lists are empty instead, with exceptions.
 */
const isNullable = (field, owner) =>
  field.nullable === true ||
  (isNullStruct(field) && field.pointer !== true) ||
  (field.omitempty !== true &&
    isUnset(field) &&
    (field.required !== true || nullLists.includes(`${shortName(owner)}.${field.name}`)));

/** Returns whether a field is of a struct whose empty value is null in JSON. */
const isNullStruct = ({ type }) => ['time', 'microTime', 'rawExtension'].includes(type);

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
mkdirSync(join(root, 'src/kinds/types'), { recursive: true });
for (const [name, module] of modules) await write(`src/kinds/types/${name}.ts`, module.text());

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
  'src/kinds/types/index.ts',
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

/** Defaults that are declared in the types themselves, and therefore published in OpenAPI documents. */
const { entries: coded } = read('defaults.json');
const codedDefaults = new Set(coded.map(({ type, field }) => `${type} ${field}`));

/** Empty values mean the same as absent ones in fields without a pointer, so that a default would not show. */
const isEmpty = (value) => value === '' || value === 0 || value === false;

/** Returns a field as data: only what the schema needs, with short references. */
function fieldData(field, owner) {
  const { name, type, ref, items, values, pointer, omitempty, required, number } = field;
  const { enum: closed, listType, listMapKeys, mapType, patchStrategy, patchMergeKey, resourceList, inline } = field;
  const fallback = field.default;
  const coded = fallback !== undefined && codedDefaults.has(`${owner} ${name}`);
  const shown = fallback !== undefined && !coded;
  return {
    ...{ name, type, pointer, omitempty, required, number, inline, enum: closed, resourceList },
    ...{ ref: ref && shortName(ref), items: items && valueData(items), values: values && valueData(values) },
    ...{ listType, listMapKeys, mapType, patchStrategy, patchMergeKey },
    ...(fallback === undefined ? {} : isEmpty(fallback) && pointer !== true ? {} : { default: fallback }),
    ...(shown ? { publishedDefault: fallback } : {}),
    ...(isNullable(field, owner) ? { nullable: true } : {}),
    goType: goTypes[shortName(owner)]?.[name],
    description: descriptions[shortName(owner)]?.[name],
  };
}

const valueData = ({ type, ref, items, values, enum: closed }) => ({
  ...{ type, ref: ref && shortName(ref), enum: closed },
  ...{ items: items && valueData(items), values: values && valueData(values) },
});

const isList = ({ fields }) => fields.some(({ name, ref }) => name === 'metadata' && ref === `${META}ListMeta`);

/** Returns the object types that the fields of a type refer to. */
function referencesOf({ fields }) {
  const refs = ({ ref, items, values }) => [ref, ...(items ? refs(items) : []), ...(values ? refs(values) : [])];
  return fields.flatMap(refs).filter((ref) => ref !== undefined && !isDeclared(ref));
}

/** Types of whole objects that other objects contain. */
const contained = new Set(
  types.filter((row) => row.notInOpenAPI !== true && !isList(row)).flatMap((row) => referencesOf(row)),
);

function typeData({ name, fields, mapType, unions, jsonOrder, typeMeta }) {
  return {
    ...{ name: localName(name), description: descriptions[shortName(name)]?.[''], mapType },
    ...{ union: unions?.[0].discriminator, order: jsonOrder },
    typeMeta: typeMeta && contained.has(name) ? true : undefined,
    fields: fields.map((field) => fieldData(field, name)),
  };
}

/** Modules without data: the schema of definitions of custom kinds is recursive and has forms of its own. */
const WITHOUT_DATA = new Set(['apiextensions-v1']);

/** Types of the kinds that every server uses at its start, with the types that they refer to. */
const { startTypes } = ours('corrections.json');
const atStart = new Set();
const addAtStart = (row) => {
  if (atStart.has(row)) return;
  atStart.add(row);
  for (const ref of referencesOf(row)) addAtStart(byName.get(ref));
};
for (const name of startTypes) addAtStart(types.find((row) => shortName(row.name) === name) ?? fail(`no type ${name}`));

const typeLines = (all) =>
  all.map((row) => JSON.stringify(typeData(row)).replaceAll('`', '\\u0060').replaceAll('${', '$\\u007b')).join('\n');

rmSync(join(root, 'src/kinds/facts/data'), { recursive: true, force: true });
mkdirSync(join(root, 'src/kinds/facts/data'), { recursive: true });
const hasData = (row) => !isList(row) && row.notInOpenAPI !== true;
const ownTypes = new Map(
  [...modules]
    .filter(([name]) => !WITHOUT_DATA.has(name))
    .map(([name, { rows: all }]) => [name, all.filter((row) => hasData(row) && !atStart.has(row))])
    .filter(([, own]) => own.length > 0),
);
/** Packages shorter than this share a file: the build merges small files into others, which are read at the start. */
const SMALL_CHARACTERS = 6000;
const isSmall = (name) => typeLines(ownTypes.get(name)).length < SMALL_CHARACTERS;
for (const [name, own] of ownTypes)
  if (!isSmall(name))
    await write(
      `src/kinds/facts/data/${name}.ts`,
      `/** The object types of the package, one in each line. */\nexport const types = String.raw\`\n${typeLines(own)}\n\`;\n`,
    );

const packageOf = (module) => module.replace('-v', '.v');
const smallLines = [...ownTypes]
  .filter(([name]) => isSmall(name))
  .map(([name, own]) => `'${packageOf(name)}': String.raw\`\n${typeLines(own)}\n\`,`);
await write(
  'src/kinds/facts/data/small.ts',
  `/** The object types of the small packages, one in each line. */\nexport const packages = {\n${smallLines.join('\n')}\n};\n`,
);
const startLines = [...modules].flatMap(([name, { rows: all }]) => {
  const own = all.filter((row) => atStart.has(row));
  return own.length === 0 ? [] : [`'${packageOf(name)}': String.raw\`\n${typeLines(own)}\n\`,`];
});
await write(
  'src/kinds/facts/data/start.ts',
  `/** The object types of the kinds that every server uses at its start, by package; one in each line. */
export const startTypes: Readonly<Record<string, string>> = {\n${startLines.join('\n')}\n};\n`,
);

/** Packages that the types of a package refer to, with itself. */
function packagesOf(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const row of ownTypes.get(name))
    for (const ref of referencesOf(row)) if (!atStart.has(byName.get(ref))) packagesOf(moduleOf(ref), found);
  return found;
}

const packageLines = [...ownTypes.keys()].sort().map((name) => {
  const uses = [...packagesOf(name)]
    .filter((one) => one !== name)
    .map(packageOf)
    .sort();
  const load = isSmall(name)
    ? `async () => ({ types: (await import('./data/small.js')).packages['${packageOf(name)}'] })`
    : `() => import('./data/${name}.js')`;
  return `'${packageOf(name)}': { load: ${load}, uses: ${JSON.stringify(uses)} },`;
});
await write(
  'src/kinds/facts/packages.ts',
  `/** A package of object types. */
export interface TypePackage {
  load(): Promise<{ readonly types: string }>;
  /** The packages that its types refer to. */
  readonly uses: readonly string[];
}

/** The packages of object types, by name. */
export const typePackages: Readonly<Record<string, TypePackage>> = {\n${packageLines.join('\n')}\n};\n`,
);

const { kinds: columnKinds } = read('columns.json');
const { kinds: selectableKinds } = read('selectable-fields.json');
// An operation kind is not a resource of its own: it is only created at a subresource.
const { storagePrefixes, selectablePaths, gatesWithoutKinds, deprecations, operationKinds } = ours('corrections.json');

/** Returns the selectable fields of a kind: the paths of the value, the first that is not empty, and its type. */
function selectableOf(group, kind) {
  const row = selectableKinds.find((one) => one.group === group && one.kind === kind);
  if (row === undefined) return undefined;
  const { fields, aliases = {}, valueTypes = {}, acceptedButNeverSet = [] } = row;
  const paths = { ...row.paths, ...selectablePaths[`${group}/${kind}`] };
  const known = [...fields, ...Object.keys(aliases).filter((label) => !fields.includes(label))];
  return Object.fromEntries(
    known.map((label) => {
      const target = aliases[label] ?? label;
      const own = fields.includes(label) ? label : target;
      return [
        label,
        { paths: acceptedButNeverSet.includes(label) ? [] : (paths[own] ?? [own]), type: valueTypes[target] },
      ];
    }),
  );
}

/** Returns a subresource. Those that connect have parameters instead of fields. */
function subresourceData(name, kind, { verbs, connecting, kind: own, params, trailingPath, produces }) {
  const shown = own === kind ? undefined : own;
  if (connecting !== true && name !== 'log') return { verbs, kind: shown };
  return { verbs, connect: { kind: shown, parameters: params, trailingPath, produces } };
}

/** Returns a group as definitions name it: its first part when the suffix of the name depends on the dialect. */
const groupData = (group) => (group.includes('.') ? { system: group.replace(/\.k8s\.io$/, '') } : group);

function kindData({ group, version, kind, ...row }) {
  const { plural, singular, scope, verbs, shortNames = [], categories = [], type, featureGate } = row;
  const { introduced, replacement, storageVersion } = row;
  const corrected = { deprecated: row.deprecated, removed: row.removed, ...deprecations[shortName(type)] };
  const { deprecated, removed, warned, ...deprecation } = corrected;
  const columns = columnKinds.find((one) => one.group === group && one.kind === kind)?.columns;
  const subresources = Object.entries(row.subresources ?? {});
  const virtual = verbs.length === 1 && verbs[0] === 'create';
  return {
    group: groupData(group),
    ...{ version, kind, plural, singular: singular === kind.toLowerCase() ? undefined : singular, scope },
    ...{ verbs: virtual || verbs.length === 8 ? undefined : verbs, virtual: virtual || undefined },
    ...{ shortNames: shortNames.length === 0 ? undefined : shortNames },
    ...{ categories: categories.length === 0 ? undefined : categories },
    ...{ type: shortName(type), featureGate: gatesWithoutKinds.includes(featureGate) ? undefined : featureGate },
    lifecycle: introduced === undefined ? undefined : { introduced, deprecated, removed, warned },
    deprecation: Object.keys(deprecation).length === 0 ? undefined : deprecation,
    ...{ replacement: replacement && { version: replacement.version, kind: replacement.kind } },
    storagePrefix: storagePrefixes[`${group}/${plural}`],
    storedAs: storedAs({ group, version, kind, storageVersion }),
    subresources:
      subresources.length === 0
        ? undefined
        : Object.fromEntries(subresources.map(([name, facts]) => [name, subresourceData(name, kind, facts)])),
    selectableFields: selectableOf(group, kind),
    fieldRefusal: selectableKinds
      .find((one) => one.group === group && one.kind === kind)
      ?.unknown?.replaceAll('<label>', '<field>')
      .replaceAll(`${group}/${version}`, '<apiVersion>'),
    columns: columns?.map(({ name, type: columnType, format: columnFormat, priority }) => ({
      ...{ name, type: columnType, format: columnFormat, priority },
    })),
  };
}

/** Returns the type of the stored version; undefined when the kind is stored in its own version. */
function storedAs({ group, version, kind, storageVersion }) {
  if (storageVersion === null || storageVersion === undefined) return undefined;
  const own = group === '' ? version : `${group}/${version}`;
  if (storageVersion === own) return undefined;
  const stored = kinds.find(
    (one) => one.kind === kind && (one.group === '' ? one.version : `${one.group}/${one.version}`) === storageVersion,
  );
  return shortName(stored.type);
}

const kindRows = [...kinds, ...operationKinds].filter(({ type }) => !WITHOUT_DATA.has(moduleOf(type)));
await write(
  'src/kinds/facts/kinds.ts',
  `/** Name of the type of a built-in kind: \`apps.v1.Deployment\`. */
export type KindName = ${kindRows.map(({ type }) => `'${shortName(type)}'`).join(' | ')};

/** The facts about the built-in kinds as JSON, by the name of their type: text is read faster than code. */
export const kindFacts: Readonly<Record<KindName, string>> = {\n${kindRows
    .map((row) => `'${shortName(row.type)}': String.raw\`${JSON.stringify(kindData(row))}\`,`)
    .join('\n')}\n};\n`,
);

const betas = new Set(
  kinds
    .filter(({ stage, servedByDefault }) => stage === 'beta' && servedByDefault)
    .map(({ group, version }) => JSON.stringify({ group: groupData(group), version })),
);
await write(
  'src/kinds/facts/groups.ts',
  `import type { SystemGroup } from '../../names/dialect.js';

/** The groups of the release in the order of discovery: clients prefer the first that has a resource. */
export const groupOrder: readonly (string | SystemGroup)[] = ${JSON.stringify(groupOrder.map(groupData))};

/** The beta versions that are served by default. All others are off by default, like alpha versions. */
export const enabledBetas: readonly { readonly group: string | SystemGroup; readonly version: string }[] = [${[...betas].join(', ')}];
`,
);

/** The facts for the tests, as they are in the catalogue: a second way from the facts to what the server does. */
const testField = (field, owner) =>
  field.default !== undefined && codedDefaults.has(`${owner} ${field.name}`)
    ? { ...field, default: undefined, codedDefault: field.default }
    : field;
const lines = (rows) => `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
const testFacts = {
  groupOrder: JSON.stringify(groupOrder),
  groups: lines(groups),
  kinds: lines(kinds),
  columns: lines(columnKinds.map(({ group, kind, columns }) => ({ group, kind, columns }))),
  selectableFields: lines(selectableKinds.map(({ source: _source, attributes: _attributes, ...row }) => row)),
  types: lines(
    types
      .filter(({ notInOpenAPI }) => notInOpenAPI !== true)
      .map((row) => ({ ...row, fields: row.fields.map((field) => testField(field, row.name)) })),
  ),
};
writeFileSync(
  join(root, 'test/conformance/catalogue/facts.json'),
  `{\n${Object.entries(testFacts)
    .map(([name, text]) => `"${name}": ${text}`)
    .join(',\n')}\n}\n`,
);

/** The types of the kinds beside those of the client; the client names some with their group. */
const clientModels = new Set(
  [
    ...readFileSync(join(root, 'node_modules/@kubernetes/client-node/dist/gen/models/all.d.ts'), 'utf8').matchAll(
      /models\/(\w+)\.js/g,
    ),
  ].map(([, name]) => name),
);
const capitalized = (word) => word.charAt(0).toUpperCase() + word.slice(1);
function clientModelOf(type) {
  const [group, version] = moduleOf(type).split('-');
  const name = `${capitalized(version)}${localName(type)}`;
  return [`${capitalized(group)}${name}`, name].find((model) => clientModels.has(model));
}
const pairs = [...new Set(kinds.map(({ type }) => type))].flatMap((type) => {
  const model = clientModelOf(type);
  return model === undefined ? [] : [{ type, model, namespace: namespaceOf(moduleOf(type)) }];
});
const { looserInClient } = ours('corrections.json');
function comparisonOf({ type, model, namespace }) {
  const reason = looserInClient[shortName(type)];
  const types = `<${namespace}.${localName(type)}, ${model}>`;
  return reason === undefined ? `Expect<Same${types}>,` : `// ${reason}\nExpect<Fits${types}>,`;
}
await write(
  'test/kinds/types/client-types.ts',
  `import type { ${pairs.map(({ model }) => model).join(', ')} } from '@kubernetes/client-node';
import type { ${[...new Set(pairs.map(({ namespace }) => namespace))].join(', ')} } from 'orch-apiserver/kinds';
import type { Expect, Fits, Same } from './same.js';

/** The kinds that the client has, too: our types are structurally those of the client. */
export type Compared = [
${pairs.map(comparisonOf).join('\n')}
];
`,
);

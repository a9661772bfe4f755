/**
 * Makes the data that the schemas of the built-in kinds are built from (`src/kinds/facts`), and what the tests compare with
 * it, from a catalogue of facts about a release (`scripts/kinds/catalogue`). `scripts/kinds` has what the catalogue lacks.
 *
 *     node scripts/make-facts.js
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import {
  fail,
  isDeclared,
  isList,
  isNullable,
  localName,
  META,
  moduleOf,
  modulesOf,
  namespaceOf,
  ours,
  read,
  shortName,
} from './kinds/catalogue.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const { types } = read('types.json');
const { groupOrder, groups, kinds } = read('kinds.json');
const goTypes = ours('go-types.json');
const byName = new Map(types.map((type) => [type.name, type]));
const modules = modulesOf(types);

const HEADER = '// Made by scripts/make-facts.js from the facts of release 1.31. Do not edit.\n\n';
const options = await resolveConfig(join(root, 'package.json'));

async function write(path, text) {
  writeFileSync(join(root, path), await format(HEADER + text, { ...options, parser: 'typescript' }));
}

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
  };
}

const valueData = ({ type, ref, items, values, enum: closed }) => ({
  ...{ type, ref: ref && shortName(ref), enum: closed },
  ...{ items: items && valueData(items), values: values && valueData(values) },
});

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
    ...{ name: localName(name), mapType },
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
    .map(([name, all]) => [name, all.filter((row) => hasData(row) && !atStart.has(row))])
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
const startLines = [...modules].flatMap(([name, all]) => {
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
  `import type { SystemGroup } from '../../foundation/index.js';

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
  const hasMetadata = byName.get(type).fields.some(({ ref }) => ref === `${META}ObjectMeta`);
  const types = `<${namespace}.${localName(type)}, ${hasMetadata ? `Named<${model}>` : model}>`;
  return reason === undefined ? `Expect<Same${types}>,` : `// ${reason}\nExpect<Fits${types}>,`;
}
await write(
  'test/kinds/types/client-types.ts',
  `import type { ${pairs.map(({ model }) => model).join(', ')} } from '@kubernetes/client-node';
import type { ${[...new Set(pairs.map(({ namespace }) => namespace))].join(', ')} } from 'orch-apiserver/kinds';
import type { Expect, Fits, Named, Same } from './same.js';

/** The kinds that the client has, too: our types are structurally those of the client, but for required metadata. */
export type Compared = [
${pairs.map(comparisonOf).join('\n')}
];
`,
);

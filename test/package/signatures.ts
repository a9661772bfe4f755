import ts from 'typescript';
import { root } from './project.js';
import { byName, isNamespace, targetOf, type ExportedName, type PublicInterface } from './public-interface.js';
import { SignatureReader, sourcesOf } from './signature-reader.js';

/** The report of the signatures. */
export interface SignatureReport {
  /** The text of each entry, by its subpath. */
  readonly byEntry: ReadonlyMap<string, string>;
  /** The declarations that these signatures name and no entry exports, with the reasons: users cannot name them. */
  readonly notExported: string;
  /** The names of those without a reason. */
  readonly unexplained: readonly string[];
}

/** Declarations that signatures may name although no entry exports them, each with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  PageHost: 'an ApiServer makes it, and transports pass it on with the rest of the target; nobody else calls it',
  SameInputAndOutput: 'the compiler computes it from the schema; it is only the error at a schema with a transform',
  SchemaFields: 'the compiler computes it inside ObjectOf and InputOf, which are the names for the objects of a kind',
  StorageMembers: 'StorageOverrides is the name for its members',
};

/** Where the built-in kinds are declared. Their fields are those of the Kubernetes API: only their names are reported. */
const KINDS = [`${root}src/kinds/types/`, `${root}src/kinds/builtin/`];

/**
 * Reports the signature of everything that the entries export, as the compiler writes declarations. A declaration is
 * in the first entry that exports it; later ones name that entry.
 */
export function signaturesOf({ program, entries }: PublicInterface): SignatureReport {
  const checker = program.getTypeChecker();
  const reader = new SignatureReader(program);
  const homes = new Map<ts.Symbol, string>();
  const users = new Map<ts.Symbol, Set<string>>();
  const textOf = ({ name, target }: ExportedName, specifier: string): string => {
    const home = homes.get(target);
    if (home !== undefined) return `// ${name}: see ${home}`;
    homes.set(target, specifier);
    if (isNamespace(target)) {
      const members = membersOf(target, checker);
      for (const member of members) if (!homes.has(member.target)) homes.set(member.target, `${specifier}, ${name}`);
      return `namespace ${name} {\n${members.map((member) => `    ${member.name};\n`).join('')}}`;
    }
    if (isKind(target)) return `// ${name}: of the Kubernetes API`;
    const { text, named } = reader.read(target);
    for (const symbol of named) users.set(symbol, (users.get(symbol) ?? new Set()).add(name));
    return name === target.name ? text : `// exported as ${name}\n${text}`;
  };
  const byEntry = new Map(
    entries.map(({ specifier, subpath, names }) => {
      const texts = names.map((exported) => textOf(exported, specifier));
      return [subpath, `// ${specifier}\n\n${joined(texts)}\n`];
    }),
  );
  for (const exported of homes.keys()) users.delete(exported);
  const unexplained = [...users.keys()].map(({ name }) => name).filter((name) => !Object.hasOwn(REASONS, name));
  return { byEntry, notExported: notExported(users, reader), unexplained };
}

/** Reports what users meet in signatures and cannot name. What only these declarations name is not followed. */
function notExported(users: ReadonlyMap<ts.Symbol, ReadonlySet<string>>, reader: SignatureReader): string {
  const found = [...users].map(([symbol, names]) => ({
    name: symbol.name,
    text: `// named by ${[...names].sort().join(', ')}\n// ${REASONS[symbol.name] ?? 'no reason yet'}\n${reader.read(symbol).text}`,
  }));
  const sorted = found.sort((a, b) => byName(a, b) || byName({ name: a.text }, { name: b.text }));
  return `// ${found.length} declarations that are not exported\n\n${joined(sorted.map(({ text }) => text))}\n`;
}

const isKind = (symbol: ts.Symbol): boolean =>
  (symbol.flags & ts.SymbolFlags.Type) !== 0 &&
  sourcesOf(symbol).some(({ fileName }) => KINDS.some((folder) => fileName.startsWith(folder)));

const membersOf = (namespace: ts.Symbol, checker: ts.TypeChecker): { name: string; target: ts.Symbol }[] =>
  checker
    .getExportsOfModule(namespace)
    .map((exported) => ({ name: exported.name, target: targetOf(exported, checker) }))
    .sort(byName);

/** Declarations with an empty line between them; lines that only refer stay together. */
function joined(texts: readonly string[]): string {
  const isReference = (text: string): boolean => text.startsWith('// ') && !text.includes('\n');
  return texts
    .map((text, index) => {
      const next = texts[index + 1];
      if (next === undefined) return text;
      return `${text}\n${isReference(text) && isReference(next) ? '' : '\n'}`;
    })
    .join('');
}

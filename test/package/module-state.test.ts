/**
 * State belongs to a server, never to a module: two servers of one process must not know of each other, and what users send must not
 * stay behind in a module. What a module may keep is listed here, with the reason why it is no such state.
 */
import { describe, expect, test } from 'vitest';
import ts from 'typescript';
import { sources, textOf } from './project.js';

const SCHEMA = 'made from a schema, which is code, and kept as long as the schema itself';
const VALUE = 'made from an immutable value alone, and kept as long as the value itself';
const LIBRARY = 'a library that is loaded once';
const TABLE = 'filled where it is made, and only read afterwards';
const EMPTY = 'empty, and of a type that only lets itself be read';
const ONE = 'the last result of a pure function of a time, a few characters long';

/** What modules keep, by file and name. */
const KEPT: Readonly<Record<string, string>> = {
  'apply/managers/entries.ts sets': VALUE,
  'apply/managers/field-manager.ts NO_MANAGERS': EMPTY,
  'apply/managers/times.ts lastSecond': ONE,
  'apply/managers/times.ts lastText': ONE,
  'apply/typed/sets.ts upToDate': VALUE,
  'assembly/authorization.ts NOTHING_REMEMBERED': EMPTY,
  'authn/oidc/jose-keys.ts library': LIBRARY,
  'cel/environment.ts loaded': LIBRARY,
  'cel/libraries/time.ts formatters': "at most 64 formatters of time zones; what one holds is the host's",
  'codec/proto-plan.ts plans': SCHEMA,
  'codec/proto-plan.ts rootPlans': SCHEMA,
  'codec/protobuf.ts listPlans': SCHEMA,
  'codec/table.ts heads': 'made from the columns of a kind, which are code',
  'codec/yaml.ts library': LIBRARY,
  'meta/host-crypto.ts found': 'what the host has',
  'meta/on-abort.ts waiting': 'the callbacks that wait for a signal of a caller, kept as long as the signal itself',
  'meta/system-runtime.ts pool': 'random bytes of the host that nobody was given yet',
  'meta/system-runtime.ts poolOffset': 'random bytes of the host that nobody was given yet',
  'meta/time.ts earlierSecond': ONE,
  'meta/time.ts earlierText': ONE,
  'meta/time.ts lastSecond': ONE,
  'meta/time.ts lastText': ONE,
  'meta/turn.ts current': 'the current turn of the event loop, which belongs to the process and not to a server',
  'patch/strategic/facts.ts known': SCHEMA,
  'resources/apiextensions/strategy.ts validation': LIBRARY,
  'resources/core/pod/columns.ts summaries': VALUE,
  'schema/compile.ts compiled': SCHEMA,
  'schema/compile.ts fieldsOf': SCHEMA,
  'schema/constraints.ts found': SCHEMA,
  'schema/object-meta.ts objectSchemas': SCHEMA,
  'schema/readers.ts readers': SCHEMA,
  'schema/null-empty-lists.ts plans': SCHEMA,
  'schema/validate-object.ts patterns': 'the patterns of schemas, which are code; at most 1024',
  'schema/vocabulary.ts registry': 'facts of the parts of a schema, which are code',
  'transport/node/accepted-hosts.ts loopback': TABLE,
  'transport/node/peer.ts certificates': 'kept as long as the connection itself',
  'transport/node/response-text.ts spare': 'at most 16 buffers that hold nothing anybody reads',
};

/** Classes whose instances nobody changes. */
const IMMUTABLE = new Set([
  'TextEncoder',
  'TextDecoder',
  'RegExp',
  'FieldPath',
  'FieldSelector',
  'LabelSelector',
  'CelOptional',
  'MetaPaths',
  'AnyReader',
  'Fields',
  'Intl.Segmenter',
  'Intl.Collator',
]);
/** The program is the process. */
const PROCESS = /^src\/cli\//;

function isReadonly(type: ts.TypeNode | undefined): boolean {
  return type !== undefined && /^(Readonly|readonly\b)/.test(type.getText());
}

/** Whether an expression makes something at once that can be changed later and holds nothing yet. */
function isEmptyContainer(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassExpression(node)) return false;
  if (ts.isNewExpression(node)) {
    const name = node.expression.getText();
    if (/^(Weak)?(Map|Set)$/.test(name)) return (node.arguments?.length ?? 0) === 0;
    if (/Array$/.test(name) && (node.arguments?.length ?? 0) === 1)
      return (
        node.arguments?.[0]?.getText() !== '0' && !ts.isArrayLiteralExpression(node.arguments?.[0] as ts.Expression)
      );
    if (
      !IMMUTABLE.has(name) &&
      !/Error$/.test(name) &&
      !/^(Map|Set)$/.test(name) &&
      (node.arguments?.length ?? 0) === 0
    )
      return true;
  }
  return node.getChildren().some(isEmptyContainer);
}

/** The variables of a module, and the static members of its classes, that can change. */
function* changing(path: string): Generator<string> {
  const file = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true);
  for (const statement of file.statements) {
    if (ts.isClassDeclaration(statement)) {
      for (const member of statement.members) {
        const flags = ts.isPropertyDeclaration(member) ? ts.getCombinedModifierFlags(member) : 0;
        if (flags & ts.ModifierFlags.Static && !(flags & ts.ModifierFlags.Readonly))
          yield `${statement.name?.text ?? ''}.${member.name?.getText() ?? ''}`;
      }
    }
    if (!ts.isVariableStatement(statement)) continue;
    const isConst = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const { name, type, initializer } of statement.declarationList.declarations) {
      const direct =
        initializer !== undefined &&
        (ts.isNewExpression(initializer) ||
          (ts.isArrayLiteralExpression(initializer) && initializer.elements.length === 0));
      const empty =
        initializer !== undefined &&
        (isEmptyContainer(initializer) || (direct && ts.isArrayLiteralExpression(initializer)));
      if (!isConst || (empty && !(direct && isReadonly(type)))) yield name.getText();
    }
  }
}

describe('modules', () => {
  const found = sources
    .filter((path) => !PROCESS.test(path))
    .flatMap((path) => [...changing(path)].map((name) => `${path.slice('src/'.length)} ${name}`));

  test('keep no state but what is listed with its reason', () => {
    expect(found.filter((name) => !(name in KEPT))).toEqual([]);
  });

  test('keep all that is listed', () => {
    expect(Object.keys(KEPT).filter((name) => !found.includes(name))).toEqual([]);
  });
});

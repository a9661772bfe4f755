/**
 * State belongs to a server, never to a module: two servers in one process must be independent, and user data must not
 * remain in a module. The module state that is allowed is listed here, with the reason why it is harmless.
 */
import { describe, expect, test } from 'vitest';
import ts from 'typescript';
import { sources, textOf } from './project.js';

const SCHEMA = 'made from a schema, which is code, and kept as long as the schema itself';
const VALUE = 'made from an immutable value alone, and kept as long as the value itself';
const LIBRARY = 'a library that is loaded once';
const FACTS = 'facts of the release, which are code and loaded once';
const TABLE = 'filled where it is made, and only read afterwards';
const EMPTY = 'empty, and of a read-only type';
const ONE = 'the last result of a pure function of a time, a few characters long';

/** Allowed module state, by file and name. */
const KEPT: Readonly<Record<string, string>> = {
  'machinery/apply/managers/entries.ts decoded': VALUE,
  'machinery/apply/managers/field-manager.ts NO_MANAGERS': EMPTY,
  'apiserver/access/authorization.ts NO_CACHES': EMPTY,
  'security/authn/oidc/jose-keys.ts library': LIBRARY,
  'machinery/cel/environment.ts loaded': LIBRARY,
  'machinery/cel/libraries/time.ts formatters':
    'at most 64 formatters of time zones, which contain only data of the host',
  'server/codec/compression.ts compressing': 'the chunks that the threads of the process compress',
  'server/codec/compression.ts waiting': 'the chunks that wait for the threads of the process',
  'server/codec/json/json-scan.ts scanner': 'positions in the text of the last scan, which has been released',
  'server/codec/protobuf/proto-plan.ts plans': SCHEMA,
  'server/codec/protobuf/proto-plan.ts rootPlans': SCHEMA,
  'server/codec/protobuf/protobuf.ts listPlans': SCHEMA,
  'server/codec/table/table.ts heads': 'made from the columns of a kind, which are code',
  'simulation/scheduling/requests.ts NONE': EMPTY,
  'foundation/host/host-crypto.ts finder': 'the function of the host by which its cryptography was found',
  'foundation/host/host-crypto.ts found': 'the cryptography that the host offers',
  'foundation/async/arrivals.ts accepted':
    'counts connections to the event loop, which belongs to the process and not to a server',
  'foundation/async/loading.ts loads':
    'the code that is being loaded, which belongs to the process and not to a server',
  'foundation/async/on-abort.ts waiting':
    'the callbacks that wait for a signal of a caller, kept as long as the signal itself',
  'foundation/host/system-runtime.ts pool': 'random bytes of the host that are not used yet',
  'foundation/host/system-runtime.ts poolOffset': 'random bytes of the host that are not used yet',
  'foundation/host/system-runtime.ts uuidCodes': 'the characters of the last random UUID',
  'foundation/time/time.ts earlierSecond': ONE,
  'foundation/time/time.ts earlierText': ONE,
  'foundation/time/time.ts lastSecond': ONE,
  'foundation/time/time.ts lastText': ONE,
  'foundation/work/heavy-lane.ts heavyLane':
    'the long work that waits for the event loop, which belongs to the process',
  'foundation/async/turn.ts putOff': 'counts turns of the event loop, which belongs to the process and not to a server',
  'foundation/async/turn.ts scheduled':
    'the current turn of the event loop, which belongs to the process and not to a server',
  'foundation/async/turn.ts since':
    'the current turn of the event loop, which belongs to the process and not to a server',
  'foundation/async/turn.ts waiting':
    'the jobs that wait for the event loop, which belongs to the process and not to a server',
  'machinery/patch/strategic/facts.ts known': SCHEMA,
  'kinds/builtin/apiextensions/strategy.ts ruleChecks': LIBRARY,
  'kinds/builtin/apiextensions/strategy.ts validation': LIBRARY,
  'kinds/builtin/core/pod/columns.ts summaries': VALUE,
  'kinds/facts/types.ts loaded': FACTS,
  'kinds/facts/types.ts loading': FACTS,
  'kinds/facts/types.ts types': FACTS,
  'kinds/builtin/shared/expressions.ts library': LIBRARY,
  'machinery/patterns/library.ts asExpected': 'facts of a library, which is code',
  'machinery/schema/define/compile.ts compiled': SCHEMA,
  'machinery/schema/define/compile.ts fieldsOf': SCHEMA,
  'machinery/schema/define/constraints.ts found': SCHEMA,
  'machinery/schema/define/enumerations.ts enumerations': SCHEMA,
  'machinery/schema/define/object-meta.ts objectSchemas': SCHEMA,
  'machinery/schema/read/readers.ts preservingReaders': SCHEMA,
  'machinery/schema/read/readers.ts readers': SCHEMA,
  'machinery/schema/read/null-empty-lists.ts plans': SCHEMA,
  'machinery/schema/validate/validate-object.ts patterns': 'the patterns of schemas, which are code; at most 1024',
  'machinery/schema/define/vocabulary.ts registry': 'facts of the parts of a schema, which are code',
  'server/limits/chunk-memory.ts lent': 'the memory of chunks that are being sent, kept as long as the chunk itself',
  'server/limits/chunk-memory.ts spare': 'at most 16 chunks whose contents are never read',
  'server/endpoints/patch.ts patches': LIBRARY,
  'transport/node/listening/accepted-hosts.ts loopback': TABLE,
  'transport/node/responses/chunk-writer.ts frames': VALUE,
  'transport/node/responses/delivery.ts readyStreams':
    'the streams that are served in the next turn of the event loop, after which none is left',
  'transport/node/peer.ts certificates': 'kept as long as the connection itself',
};

/** Classes whose instances are never changed. */
const IMMUTABLE = new Set([
  'TextEncoder',
  'TextDecoder',
  'RegExp',
  'FieldPath',
  'FieldSelector',
  'LabelSelector',
  'CelOptional',
  'MetaPaths',
  'LeafReader',
  'Fields',
  'Intl.Segmenter',
  'Intl.Collator',
]);
/** Classes whose instances change, whatever they are made with. */
const MUTABLE = new Set(['TurnBatches']);
/** The program is the process. */
const PROCESS = /^src\/cli\//;

function isReadonly(type: ts.TypeNode | undefined): boolean {
  return type !== undefined && /^(Readonly|readonly\b)/.test(type.getText());
}

/** Whether an expression creates a value that can be changed later and is empty at first. */
function isEmptyContainer(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassExpression(node)) return false;
  if (ts.isNewExpression(node)) {
    const name = node.expression.getText();
    if (MUTABLE.has(name)) return true;
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

/** The mutable variables of a module, and the mutable static members of its classes. */
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

  test('have no state except listed ones with a reason', () => {
    expect(found.filter((name) => !(name in KEPT))).toEqual([]);
  });

  test('have all listed state', () => {
    expect(Object.keys(KEPT).filter((name) => !found.includes(name))).toEqual([]);
  });
});

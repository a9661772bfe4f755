import tseslint from 'typescript-eslint';
import importX from 'eslint-plugin-import-x';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { makeTypes } from './scripts/make-types.js';

// Rules that know types need all of them.
await makeTypes();

/**
 * The wings of the source, from the ground up (docs/architecture.md). A wing imports from the wings below it, and each
 * only by its doors: `index.ts`; `node.ts` for what needs Node; `late.ts` and `late-node.ts` for what loads on first use.
 */
const wings = [
  'foundation',
  'machinery',
  'storage',
  'registry',
  'security',
  'kinds',
  'admission',
  'server',
  'ui',
  'transport',
  'client',
  'controllers',
  'simulation',
  'apiserver',
  'testing',
  'cli',
];

/** The floors of the rooms in a wing, from the ground up. A room imports from lower floors; rooms that are not here, from all. */
const rooms = {
  foundation: [['encoding', 'dialect'], ['outbound']],
  machinery: [['patterns'], ['schema', 'selectors', 'patch', 'apply', 'cel'], ['cel-rules']],
  security: [
    ['pki', 'tokens'],
    ['audit', 'authn', 'authz'],
  ],
  kinds: [['facts', 'types'], ['builtin'], ['custom', 'quota', 'services', 'system']],
};

/** Allowed pairs on one floor: patches and apply use the schema. */
const beside = new Map([
  ['machinery/patch', ['schema']],
  ['machinery/apply', ['schema']],
]);

const doors = ['index', 'node', 'late', 'late-node'];

const wingZones = wings.map((wing, floor) => ({
  target: `./src/${wing}`,
  from: './src',
  except: [`./${wing}`, ...wings.slice(0, floor).flatMap((lower) => doors.map((door) => `./${lower}/${door}.ts`))],
  message: `src/${wing} imports from the wings below it, each by its doors (docs/architecture.md).`,
}));

const doorZones = wings.map((wing) => ({
  target: `./src/${wing}`,
  from: doors.map((door) => `./src/${wing}/${door}.ts`),
  message: 'The doors of a wing are for other wings.',
}));

const roomZones = Object.entries(rooms).flatMap(([wing, floors]) =>
  floors.flatMap((floor, level) =>
    floor.map((room) => ({
      target: `./src/${wing}/${room}`,
      from: [
        ...floors.slice(level + 1).flat(),
        ...floor.filter((other) => other !== room && !beside.get(`${wing}/${room}`)?.includes(other)),
      ].map((other) => `./src/${wing}/${other}`),
      message: `src/${wing}/${room} imports only from rooms below it (docs/architecture.md).`,
    })),
  ),
);

/**
 * The page in browsers uses the client that browsers have, names of the foundation, the library of certificates as it is
 * loaded behind the door of security, and patterns as the machinery compares them. What it bundles is measured by scripts/build-page.js.
 */
const pageZones = [
  {
    target: './src/ui/web',
    from: './src',
    except: [
      ...['./ui/web', './ui/answers.ts', './ui/references.ts', './entries/client-web.ts'],
      ...['./foundation/index.ts', './machinery/index.ts', './security/index.ts'],
    ],
    message: 'The page uses the public client of browsers (src/entries/client-web.ts).',
  },
  ...['endpoints', 'recorders', 'serving', 'session'].map((room) => ({
    target: `./src/ui/${room}`,
    from: './src/ui/web',
    message: 'The page is built by scripts/build-page.js.',
  })),
];

const zones = [...wingZones, ...doorZones, ...roomZones, ...pageZones].filter(({ from }) => from.length > 0);

const hostTime = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take the time from the injected Clock.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the time from the injected Clock.',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Take chance from the injected Entropy.',
  },
  {
    selector: 'CallExpression[callee.name=/^(setTimeout|setInterval)$/]',
    message: 'Take timers from the injected Clock.',
  },
  { selector: "CallExpression[callee.property.name='randomUUID']", message: 'Take uids from the injected Entropy.' },
];

const oneListener = [
  {
    selector: "CallExpression[callee.property.name='addEventListener'][arguments.0.value='abort']",
    message: 'Listen to a signal by onAbort (src/foundation/async/on-abort.ts): Node warns of the eleventh listener.',
  },
];

const spreadCalls = [
  {
    selector: 'CallExpression[callee.property.name=/^(push|unshift|splice)$/] > SpreadElement',
    message:
      'Append lists by appendAll (src/foundation/collections/append-to.ts), errors by appendErrors: a long list overflows the stack.',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name=/^(min|max)$/] > SpreadElement",
    message: 'Use least or greatest (src/foundation/collections/append-to.ts): a long list overflows the stack.',
  },
  {
    selector:
      "CallExpression[callee.object.name='String'][callee.property.name=/^from(CharCode|CodePoint)$/] > SpreadElement",
    message: 'Decode by src/foundation/encoding/bytes.ts: a long list overflows the stack.',
  },
];

/** Tables are read by keys that users choose, among them `constructor` and `__proto__`. */
const ownMembers = {
  rules: {
    'own-members': {
      create: (context) => ({
        'MemberExpression[computed=true][object.type="Identifier"]'(node) {
          if (node.property.type === 'Literal') return;
          const scope = context.sourceCode.getScope(node);
          const { resolved } = scope.references.find(({ identifier }) => identifier === node.object) ?? {};
          const [definition] = resolved?.defs ?? [];
          if (definition?.type !== 'Variable' || resolved.scope.type !== 'module') return;
          const { typeAnnotation } = definition.node.id;
          if (typeAnnotation !== undefined && /Record<string,/.test(context.sourceCode.getText(typeAnnotation)))
            context.report({
              node,
              message: 'Read a table by ownMember (src/foundation/collections/own-property.ts), or make it a Map.',
            });
        },
      }),
    },
  },
};

/** A caller who passes on an option of its own passes `undefined` when it has none (exactOptionalPropertyTypes). */
const optionalMembers = [
  {
    selector:
      'TSPropertySignature[optional=true] > TSTypeAnnotation > :not(TSUnionType:has(> TSUndefinedKeyword), TSUndefinedKeyword, TSUnknownKeyword)',
    message: 'Write `name?: T | undefined`: an optional member admits undefined.',
  },
];

const restricted = [...oneListener, ...spreadCalls, ...optionalMembers];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'docs/**'] },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/ui/web/**'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX, local: ownMembers },
    languageOptions: { parserOptions: { project: './tsconfig.build.json', tsconfigRootDir: import.meta.dirname } },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.build.json' })] },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'no-restricted-syntax': ['error', ...hostTime, ...restricted],
      // The types of workers declare them, and Node does not have them: a forgotten declaration would compile.
      'no-restricted-globals': ['error', 'name', 'origin', 'location', 'close'],
      'local/own-members': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // A lazily loaded library is typed with `typeof import(...)`.
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
          ignoreRestSiblings: true,
        },
      ],
      // Libraries return instances of classes that are known here only by their types.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    // Their tables are read by names that a declaration or the scanner has checked.
    files: ['src/machinery/cel/**/*.ts'],
    rules: { 'local/own-members': 'off' },
  },
  { files: ['src/foundation/host/system-runtime.ts'], rules: { 'no-restricted-syntax': ['error', ...restricted] } },
  {
    // Its types are those of a library, whose optional members do not admit undefined.
    files: ['src/server/tracing/open-telemetry.ts'],
    rules: { 'no-restricted-syntax': ['error', ...hostTime, ...oneListener, ...spreadCalls] },
  },
  {
    files: ['src/foundation/async/on-abort.ts'],
    rules: { 'no-restricted-syntax': ['error', ...hostTime, ...spreadCalls, ...optionalMembers] },
  },
  {
    // The page: text never becomes markup or code, nor a link.
    files: ['src/ui/web/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { project: './tsconfig.ui.json', tsconfigRootDir: import.meta.dirname } },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.ui.json' })] },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones: pageZones }],
      'no-restricted-syntax': [
        'error',
        ...spreadCalls,
        {
          selector:
            'JSXAttribute[name.name=/^(dangerouslySetInnerHTML|srcdoc)$/], MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]',
          message: 'Show text as text: what objects hold must not become markup.',
        },
        {
          selector: "JSXAttribute[name.name='href'][value.expression.callee.name!='hrefOf']",
          message: 'Links lead to addresses of the page: use hrefOf.',
        },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
    },
  },
  {
    // Tests and scripts: rules that a reader cannot check. Their types are checked by `npm run types`.
    files: ['test/**/*.ts', 'scripts/**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { project: './tsconfig.node.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock)$/]",
          message:
            'Replace what is injected, or spy on a member: `npm test` loads compiled modules, which stay as they are.',
        },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
          ignoreRestSiblings: true,
        },
      ],
    },
  },
);

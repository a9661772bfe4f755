import tseslint from 'typescript-eslint';
import importX from 'eslint-plugin-import-x';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

/**
 * The floors of the source, from the ground up (docs/architecture.md). A folder may import from lower floors, and, on
 * its own floor, only from itself.
 */
const floors = [
  ['encoding', 'names'],
  ['meta'],
  ['schema', 'selectors', 'patch', 'apply', 'cel', 'patterns', 'pki', 'tokens', 'outbound'],
  ['rules'],
  ['storage'],
  ['registry'],
  ['resources'],
  ['custom', 'quota'],
  ['admission', 'audit', 'authn', 'authz', 'codec', 'flowcontrol'],
  ['server'],
  ['transport', 'client', 'controllers', 'testing'],
  ['cli'],
];

/**
 * Allowed pairs on one floor: decoders use the schema; schemas and expressions match patterns; controllers use
 * the client; the bridge to an HTTP client library
 * passes requests to the edge of the transports; a test server enables and drives controllers.
 */
const allowedSiblings = new Map([
  ['patch', ['schema']],
  ['apply', ['schema']],
  ['schema', ['patterns']],
  ['cel', ['patterns']],
  ['client', ['transport']],
  ['controllers', ['client']],
  ['testing', ['client', 'controllers', 'transport']],
]);

/**
 * The composition root, with its parts in src/assembly, is between the subsystems and the modules built on it: only
 * these folders may import it.
 */
const aboveTheRoot = new Set(['testing', 'cli']);

const zones = floors.flatMap((floor, level) =>
  floor.map((folder) => {
    const above = floors.slice(level + 1).flat();
    const beside = floor.filter((other) => other !== folder && !(allowedSiblings.get(folder) ?? []).includes(other));
    return {
      target: `./src/${folder}`,
      from: [...above, ...beside]
        .map((other) => `./src/${other}`)
        .concat('./src/entries/index.ts', './src/assembly', aboveTheRoot.has(folder) ? [] : './src/apiserver/api-server.ts'),
      message: `src/${folder} may import only from the floors below it (docs/architecture.md).`,
    };
  }),
);

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

const restricted = [...oneListener, ...spreadCalls];

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', 'docs/**'] },
  {
    files: ['src/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX, local: ownMembers },
    languageOptions: { parserOptions: { project: './tsconfig.build.json', tsconfigRootDir: import.meta.dirname } },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.build.json' })] },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'no-restricted-syntax': ['error', ...hostTime, ...restricted],
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
    files: ['src/cel/**/*.ts', 'src/codec/yaml-compose.ts'],
    rules: { 'local/own-members': 'off' },
  },
  { files: ['src/foundation/host/system-runtime.ts'], rules: { 'no-restricted-syntax': ['error', ...restricted] } },
  { files: ['src/foundation/async/on-abort.ts'], rules: { 'no-restricted-syntax': ['error', ...hostTime, ...spreadCalls] } },
  {
    // Tests and scripts: rules that a reader cannot check. Their types are checked by `npm run types`.
    files: ['test/**/*.ts', 'scripts/**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { project: './tsconfig.node.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
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

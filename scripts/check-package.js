/**
 * Checks the built package from a consumer's view: every subpath resolves to a file and can be imported, and importing
 * it loads nothing unnecessary.
 *
 *     node scripts/check-package.js      after `npm run build`
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entries } from './entries.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** Built files that may use modules of Node. */
const ON_NODE = new Set([
  'storage/sqlite',
  'storage/etcd',
  'node',
  'express',
  'fastify',
  'client-node',
  'kubeconfig',
  'testing/record',
  'cli/main',
]);

/** The package that an entry exists for. */
const MADE_FOR = new Map([['testing/fast-check', 'fast-check']]);

/**
 * Sources that importing the package must not load, because many servers never need them or need them later. Each is
 * the largest file behind one `import()`. Eagerly loaded code must not import them, nor an index that exports them,
 * because the bundler loads everything that an index exports. Loading one of them eagerly slows every start; remove an
 * entry only as a last resort.
 */
const LATE = [
  'src/admission/node-restriction/plugin.ts',
  'src/assembly/default-policy.ts',
  'src/assembly/explain-access.ts',
  'src/assembly/flow-objects.ts',
  'src/assembly/mirrored-policy.ts',
  'src/assembly/jwt-authenticators.ts',
  'src/assembly/generated-authority.ts',
  'src/assembly/node-access.ts',
  'src/assembly/service-account-tokens.ts',
  'src/authn/configuration/claims-mapper.ts',
  'src/authn/configuration/validate-claim-mappings.ts',
  'src/authn/oidc/jwt-authenticator.ts',
  'src/authn/service-account/authenticator.ts',
  'src/authn/service-account/issuer.ts',
  'src/authn/webhook/token-webhook.ts',
  'src/authn/x509/client-certificates.ts',
  'src/authz/abac/decode-policy.ts',
  'src/authz/configuration/validate.ts',
  'src/authz/explain/explain.ts',
  'src/authz/node/checks.ts',
  'src/authz/rbac/default-policy/component-roles.ts',
  'src/authz/rbac/policy.ts',
  'src/authz/webhook/webhook-authorizer.ts',
  'src/cel/environment.ts',
  'src/custom/kinds.ts',
  'src/rules/compile.ts',
  'src/controllers/flow-control/maintain.ts',
  'src/controllers/garbage-collector/graph.ts',
  'src/flowcontrol/rule-index.ts',
  'src/outbound/webhook.ts',
  'src/patch/json-patch.ts',
  'src/patch/strategic/merge-map.ts',
  'src/pki/certificate-authority.ts',
  'src/pki/chains.ts',
  'src/resources/core/node/behaviour.ts',
  'src/resources/facts/data/apps-v1.ts',
  'src/resources/facts/data/core-v1.ts',
  'src/resources/facts/data/small.ts',
  'src/resources/flowcontrol/suggested.ts',
  'src/server/openapi/openapi.ts',
  'src/server/tracing/request-tracer.ts',
  'src/tokens/json-web-token.ts',
  'src/tokens/service-account-claims.ts',
];

/**
 * Maximum number of files that importing the package reads. Each costs as much as about 10 KB of code: see
 * scripts/merge-chunks.js.
 */
const MOST_FILES = 26;

const problems = [
  ...missingFiles(),
  ...Object.keys(entries).flatMap(bleeding),
  ...slowProblems(),
  ...programProblems(),
];
for (const problem of problems) console.error(problem);
console.log(`${Object.keys(entries).length} built entries, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns the missing files that package.json refers to. */
function missingFiles() {
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  return [...targets, ...Object.values(manifest.bin)]
    .filter((target) => !existsSync(root + target))
    .map((target) => `package.json names ${target}, which the build did not make`);
}

/** Returns the modules that an entry loads on import, but should not. */
function bleeding(entry) {
  const { loaded, failure } = importsOf(`${dist}${entry}.js`);
  if (failure !== undefined) return [`${entry}: cannot be imported: ${failure}`];
  return [...loaded].flatMap((specifier) => {
    if (specifier.startsWith('node:'))
      return ON_NODE.has(entry) ? [] : [`${entry}: loads ${specifier}, and must run without Node`];
    return MADE_FOR.get(entry) === specifier ? [] : [`${entry}: loads ${specifier} on import`];
  });
}

/** Returns the causes of a slow import. Counting files is reproducible; measured time differs between machines. */
function slowProblems() {
  const { files } = importsOf(`${dist}index.js`);
  const sources = new Set([...files].flatMap(sourcesOf));
  return [
    ...LATE.filter((source) => !existsSync(root + source)).map(
      (source) => `${source} is to be loaded late, and is not there`,
    ),
    ...LATE.filter((source) => sources.has(source)).map(
      (source) => `index: loads ${source} on import; it is to be loaded late`,
    ),
    ...(files.size > MOST_FILES ? [`index: reads ${files.size} files on import, more than ${MOST_FILES}`] : []),
  ];
}

/** Returns the sources of a built file from its source map: paths below the root. */
function sourcesOf(file) {
  return JSON.parse(readFileSync(`${file}.map`, 'utf8')).sources.map((source) =>
    relative(root, resolve(dirname(file), source)),
  );
}

/**
 * Returns everything that loading one of our files loads, as reported by the module loader: imported bare specifiers,
 * and our files.
 */
function importsOf(file) {
  const hook = `
    import { writeSync } from 'node:fs';
    const OURS = ${JSON.stringify(new URL('../dist/', import.meta.url).href)};
    export async function resolve(specifier, context, next) {
      const ours = context.parentURL?.startsWith(OURS);
      if (ours && !specifier.startsWith('.')) writeSync(1, '@ ' + specifier + '\\n');
      const found = await next(specifier, context);
      if (found.url.startsWith(OURS)) writeSync(1, '# ' + found.url + '\\n');
      return found;
    }`;
  const program = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
    await import(${JSON.stringify(file)});`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  const linesWith = (sign) =>
    new Set(
      stdout
        .split('\n')
        .filter((line) => line.startsWith(`${sign} `))
        .map((line) => line.slice(2)),
    );
  return {
    loaded: linesWith('@'),
    files: new Set([...linesWith('#')].map((url) => fileURLToPath(url))),
    failure: status === 0 ? undefined : stderr.trim().split('\n').slice(-3).join(' '),
  };
}

/** Checks that the program can be started from its file. */
function programProblems() {
  return Object.values(manifest.bin).flatMap((file) => {
    if (!existsSync(root + file)) return [];
    const found = [];
    if (!readFileSync(root + file, 'utf8').startsWith('#!/usr/bin/env node\n'))
      found.push(`${file}: does not begin with #!/usr/bin/env node`);
    try {
      accessSync(root + file, constants.X_OK);
    } catch {
      found.push(`${file}: is not executable`);
    }
    return found;
  });
}

/**
 * Checks of the built package that a consumer would trip over: every subpath leads to a file and can be imported, and
 * importing it loads nothing that was not asked for.
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
  'cli/main',
]);

/**
 * Sources that importing the package must not load: what many servers never need, and the rest need later. Each is the largest of what is
 * loaded with it by one `import()`. Code that is loaded at once does not import them, nor an index that does: the bundler loads whatever
 * an index names. A change that needs one of them at once makes every start slower; it takes it off this list only if nothing else helps.
 */
const LATE = [
  'src/admission/node-restriction/plugin.ts',
  'src/assembly/default-policy.ts',
  'src/assembly/explain-access.ts',
  'src/assembly/followed-policy.ts',
  'src/assembly/jwt-authenticators.ts',
  'src/assembly/made-authority.ts',
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
  'src/controllers/garbage-collector/graph.ts',
  'src/outbound/webhook.ts',
  'src/patch/json-patch.ts',
  'src/patch/strategic/merge-map.ts',
  'src/pki/certificate-authority.ts',
  'src/pki/chains.ts',
  'src/server/openapi/openapi.ts',
  'src/tokens/json-web-token.ts',
  'src/tokens/service-account-claims.ts',
];

/** Files that importing the package reads. Each costs what some ten KB of code do: see scripts/merge-chunks.js. */
const MOST_FILES = 48;

const problems = [
  ...missingFiles(),
  ...Object.keys(entries).flatMap(bleeding),
  ...slowProblems(),
  ...programProblems(),
];
for (const problem of problems) console.error(problem);
console.log(`${Object.keys(entries).length} built entries, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Files that package.json points to and that are not there. */
function missingFiles() {
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  return [...targets, ...Object.values(manifest.bin)]
    .filter((target) => !existsSync(root + target))
    .map((target) => `package.json names ${target}, which the build did not make`);
}

/** What an entry loads on import, and should not. */
function bleeding(entry) {
  const { loaded, failure } = importsOf(`${dist}${entry}.js`);
  if (failure !== undefined) return [`${entry}: cannot be imported: ${failure}`];
  return [...loaded].flatMap((specifier) => {
    if (specifier.startsWith('node:'))
      return ON_NODE.has(entry) ? [] : [`${entry}: loads ${specifier}, and must run without Node`];
    return [`${entry}: loads ${specifier} on import`];
  });
}

/** What makes importing the package slow: a stopwatch would tell another thing on every machine. */
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

/** The sources of a built file, told by its source map: paths below the root. */
function sourcesOf(file) {
  return JSON.parse(readFileSync(`${file}.map`, 'utf8')).sources.map((source) =>
    relative(root, resolve(dirname(file), source)),
  );
}

/** What is loaded when one of our files is, told by the module loader itself: the bare specifiers that our files import, and our files. */
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
  const told = (sign) =>
    new Set(
      stdout
        .split('\n')
        .filter((line) => line.startsWith(`${sign} `))
        .map((line) => line.slice(2)),
    );
  return {
    loaded: told('@'),
    files: new Set([...told('#')].map((url) => fileURLToPath(url))),
    failure: status === 0 ? undefined : stderr.trim().split('\n').slice(-3).join(' '),
  };
}

/** The program can be started by its file. */
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

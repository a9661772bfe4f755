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
import { entries, outputOf, subpaths } from './entries.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** Built files that may use modules of Node. */
const ON_NODE = new Set([
  'storage/sqlite',
  'storage/etcd',
  'storage/postgres',
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
  'src/server/policy/default-policy.ts',
  'src/apiserver/access/explain-access.ts',
  'src/server/fairness/stored/flow-objects.ts',
  'src/server/policy/mirrored-policy.ts',
  'src/apiserver/authentication/jwt-authenticators.ts',
  'src/security/authorities/generated-authority.ts',
  'src/server/policy/node-access.ts',
  'src/apiserver/authentication/service-account-tokens.ts',
  'src/security/authn/configuration/claims-mapper.ts',
  'src/security/authn/configuration/validate-claim-mappings.ts',
  'src/security/authn/oidc/jwt-authenticator.ts',
  'src/security/authn/service-account/authenticator.ts',
  'src/security/authn/service-account/issuer.ts',
  'src/security/authn/webhook/token-webhook.ts',
  'src/security/authn/x509/client-certificates.ts',
  'src/security/authz/abac/decode-policy.ts',
  'src/security/authz/configuration/validate.ts',
  'src/security/authz/explain/explain.ts',
  'src/security/authz/node/checks.ts',
  'src/security/authz/rbac/default-policy/component-roles.ts',
  'src/security/authz/rbac/policy/policy.ts',
  'src/security/authz/webhook/webhook-authorizer.ts',
  'src/machinery/cel/environment.ts',
  'src/kinds/custom/kinds.ts',
  'src/machinery/cel-rules/compile.ts',
  'src/controllers/flow-control/maintain.ts',
  'src/controllers/garbage-collector/graph.ts',
  'src/server/fairness/classification/rule-index.ts',
  'src/foundation/outbound/webhook.ts',
  'src/machinery/patch/json-patch.ts',
  'src/machinery/patch/strategic/merge-map.ts',
  'src/security/pki/certificate-authority.ts',
  'src/security/pki/chains.ts',
  'src/kinds/builtin/core/node/behaviour.ts',
  'src/kinds/facts/data/apps-v1.ts',
  'src/kinds/facts/data/core-v1.ts',
  'src/kinds/facts/data/small.ts',
  'src/kinds/builtin/flowcontrol/suggested.ts',
  'src/server/openapi/openapi.ts',
  'src/server/tracing/request-tracer.ts',
  'src/security/tokens/json-web-token.ts',
  'src/security/tokens/service-account-claims.ts',
];

/**
 * Most time of the processor that a program with the package may take, in times of one that imports nothing: Node itself
 * takes as long to start as the package to load.
 */
const MOST_TIMES = 3;

/** Number of programs of each kind that are measured, in alternation; the least disturbed pair counts. */
const ROUNDS = 9;

const problems = [
  ...missingFiles(),
  ...Object.keys(entries).flatMap(bleeding),
  ...slowProblems(),
  ...programProblems(),
  ...(await differingNames()),
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

/**
 * Returns where the names that the entries export at run time are not those of the recorded list: names that the bundler
 * made, and values that the build lost.
 */
async function differingNames() {
  const recorded = recordedNames();
  const found = await Promise.all(
    Object.keys(subpaths).map(async (subpath) => {
      const kinds = recorded.get(`${manifest.name}${subpath.slice(1)}`) ?? new Map();
      const exported = new Set(Object.keys(await import(`${dist}${outputOf(subpath)}.js`)));
      const isValue = (name) => kinds.has(name) && kinds.get(name) !== 'type';
      return [
        ...[...exported]
          .filter((name) => !isValue(name))
          .map((name) => `${subpath}: exports ${name}, which is not recorded as a value`),
        ...[...kinds.keys()]
          .filter((name) => isValue(name) && !exported.has(name))
          .map((name) => `${subpath}: does not export ${name}, which is recorded as a value`),
      ];
    }),
  );
  return found.flat();
}

/** Returns the recorded names of each entry with their kinds: `class`, `both`, `value` or `type`. */
function recordedNames() {
  const parts = readFileSync(`${root}test/package/public-api.txt`, 'utf8')
    .split('\n\n')
    .map((part) => part.trim().split('\n'));
  return new Map(
    parts.map(([entry, ...lines]) => [
      entry,
      new Map(
        lines.map((line) => {
          const [kind, name] = line.trim().split(/ +/);
          return [name, kind];
        }),
      ),
    ]),
  );
}

/** Returns the causes of a slow import. */
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
    ...importProblems(files.size),
  ];
}

/** Compares the time of an import with that of a program that imports nothing, measured in one run. */
function importProblems(files) {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    bare: cpuMs(''),
    whole: cpuMs(`await import(${JSON.stringify(`${dist}index.js`)});`),
  }));
  // Other programs of the machine disturb some rounds, and what takes too long takes too long in each.
  const [{ bare, whole }] = rounds.toSorted((a, b) => a.whole / a.bare - b.whole / b.bare);
  console.log(
    `an import reads ${files} files: ${whole.toFixed(0)} ms of the processor, ${bare.toFixed(0)} ms without it`,
  );
  return whole > MOST_TIMES * bare
    ? [`index: importing it takes ${(whole / bare).toFixed(1)} times as long as Node`]
    : [];
}

/** Returns the time of the processor that a program takes, in milliseconds. */
function cpuMs(program) {
  const report = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);';
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', `${program}${report}`], {
    encoding: 'utf8',
  });
  return Number(stdout);
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

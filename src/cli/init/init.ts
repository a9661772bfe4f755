import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parsedJson, type JsonObject } from '../../foundation/index.js';
import { commonFlags, defineCommand, PROGRAM } from '../command.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { StartError, UsageError } from '../usage-error.js';

/** The service that is copied, a folder of this package. */
const TEMPLATE = 'examples/new-service/';

/** Its files, besides `package.json`. */
const FILES = [
  'README.md',
  'tsconfig.json',
  'src/site.ts',
  'src/controller.ts',
  'src/main.ts',
  'test/controller.test.ts',
] as const;

/** npm leaves a file of this name out of a package. */
const IGNORED = 'node_modules/\nkubeconfig\n';

/** The name of the copied service. */
const NAME = 'new-service';

/** The command `init`. */
export const init = defineCommand({
  name: 'init',
  summary: 'Writes a new service: a kind of its own, a controller, and tests.',
  operands: '[DIRECTORY]',
  flags: commonFlags,
  run: (_values, host, operands) => run(host, operands),
});

async function run(host: Host, [directory = '.', unexpected]: readonly string[]): Promise<number> {
  if (unexpected !== undefined) throw new UsageError('init takes one DIRECTORY');
  try {
    await requireEmpty(directory);
    const name = packageName(directory);
    for (const [file, content] of await filesOf(host, name)) {
      const path = join(directory, file);
      await mkdir(dirname(path), { recursive: true });
      // Fails where a file exists: another program may have written it meanwhile.
      await writeFile(path, content, { flag: 'wx' });
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(reasonOf(error));
  }
  const isHere = resolve(directory) === resolve('.');
  const enter = isHere ? '' : `  cd ${quoted(directory)}\n`;
  host.stdout.write(
    `A new service is in ${isHere ? 'this directory' : directory}. Next:\n${enter}  npm install\n  npm test\n  npm start\n`,
  );
  return 0;
}

/** Makes a directory, or checks that it is empty. @throws StartError | Error of the file system */
async function requireEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const [found] = await readdir(directory);
  if (found !== undefined)
    throw new StartError(`${directory} is not empty: ${PROGRAM} init overwrites nothing (it has ${found})`);
}

/** Returns a name for npm from the name of a directory. */
function packageName(directory: string): string {
  const name = basename(resolve(directory))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 100);
  return name === '' || name === 'node_modules' ? NAME : name;
}

/** Returns the files of a new service, by their paths. */
async function filesOf({ root, version }: Host, name: string): Promise<readonly (readonly [string, string])[]> {
  const read = (file: string) => readFile(fileURLToPath(new URL(`${TEMPLATE}${file}`, root)), 'utf8');
  const copies = FILES.map(async (file) => [file, (await read(file)).replaceAll(NAME, name)] as const);
  return [
    ['package.json', manifestOf(await read('package.json'), name, version)],
    ['.gitignore', IGNORED],
    ...(await Promise.all(copies)),
  ];
}

/** Returns the manifest of a service that uses this version of the package. */
function manifestOf(template: string, name: string, version: string): string {
  const manifest = objectOf(parsedJson(template));
  const dependencies = { ...objectOf(manifest['dependencies']), [PROGRAM]: `^${version}` };
  return `${JSON.stringify({ ...manifest, name, dependencies }, undefined, 2)}\n`;
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** Returns a word as a shell reads it. */
const quoted = (word: string): string =>
  /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

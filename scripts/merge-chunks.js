/**
 * The last step of the build: merges small chunks into other files.
 *
 * The bundler puts modules that are used by the same entries in one file, so no entry loads unused code. With this many
 * entries most files are small, and importing one costs as much as about 10 KB of code.
 */
import { readFile, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { rollup } from 'rollup';
import { entries } from './entries.js';

/**
 * Files smaller than this are merged, in bytes. A larger value would merge lazily loaded code into eagerly loaded
 * files.
 */
const SMALL_BYTES = 3_500;

/** Size of the code that costs as much as one more file, in bytes. */
const FILE_BYTES = 10_000;

/** The entry that nearly every program imports, and how many other entries it counts as. */
const MAIN_ENTRY = { name: 'index', weight: 10 };

/** Maximum net loss of any entry, in files: as many times {@link FILE_BYTES} of code that it does not need. */
const MAX_LOSS = 2;

/** A plugin for the bundler. */
export function mergeChunks() {
  return {
    name: 'merge-chunks',
    async buildEnd({ writtenFiles }) {
      const directory = resolve(this.options.outDir);
      const bundle = await rollup({
        input: Object.fromEntries(Object.keys(entries).map((entry) => [entry, join(directory, `${entry}.js`)])),
        external: (id) => !id.startsWith('.') && !id.startsWith(directory),
        // As declared in package.json.
        treeshake: { moduleSideEffects: (_id, isExternal) => isExternal },
        plugins: [{ name: 'source-maps', load }],
      });
      const options = {
        dir: directory,
        sourcemap: 'hidden',
        experimentalMinChunkSize: SMALL_BYTES,
        chunkFileNames: ({ name }) => `${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].js`,
      };
      const grouped = { ...options, manualChunks: lateGroup, onlyExplicitManualChunks: true };
      // Small files that are loaded at the start would be merged into files that are loaded late, which are then loaded
      // at the start too. They are therefore grouped first.
      const separate = await bundle.generate({ ...grouped, experimentalMinChunkSize: 0 });
      const groups = groupsOf(separate.output);
      const { output } = await bundle.write({
        ...grouped,
        manualChunks: (module, tools) => groups.get(module) ?? lateGroup(module, tools),
      });
      const kept = new Set(output.map(({ fileName }) => join(directory, fileName)));
      await Promise.all(
        writtenFiles
          .map(({ name }) => resolve(name))
          .filter((file) => !kept.has(file))
          .map((file) => rm(file)),
      );
    },
  };
}

/**
 * Returns the name of a file of its own for a module that is only loaded late; undefined for others. Otherwise small
 * modules that are loaded at the start would be merged into it, since that costs no other file anything.
 */
function lateGroup(module, { getModuleInfo }) {
  const { importers, dynamicImporters, code } = getModuleInfo(module);
  const isLate = importers.length === 0 && dynamicImporters.length > 0;
  return isLate && code.length >= SMALL_BYTES ? basename(module, '.js') : undefined;
}

/**
 * Groups the files that the main entry loads, so that it reads few of them and no entry loads much code that it does not
 * need. Each step merges the two files that save most, until nothing is saved.
 *
 * @returns the name of the group, by module
 */
function groupsOf(output) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const entryNames = output.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
  const main = `${MAIN_ENTRY.name}.js`;
  const separate = new Map([...chunks.keys()].map((file) => [file, file]));
  const candidates = [...loadedBy(main, chunks, separate)].filter((file) => !chunks.get(file).isEntry);
  const costOfEntry = (entry) =>
    [...loadedBy(entry, chunks, separate)].reduce((sum, file) => sum + costOf([file], chunks), 0);
  const before = new Map(entryNames.map((entry) => [entry, costOfEntry(entry)]));
  let current = { group: separate, costs: before };
  for (let best; (best = bestMerge(current)) !== undefined;) current = best;
  const merged = [...membersOf(current.group)].filter(([, files]) => files.length > 1);
  return new Map(
    merged.flatMap(([name, files], index) =>
      files.flatMap((file) =>
        Object.keys(chunks.get(file).modules).map((module) => [module, `${name.replace(/-[^-]*$/, '')}${index}`]),
      ),
    ),
  );

  /** Returns the grouping after the best merge, with the cost of each entry; undefined when every merge costs more. */
  function bestMerge({ group, costs }) {
    const names = [...new Set(candidates.map((file) => group.get(file)))];
    const added = addedCosts(group, names);
    let best;
    for (const [index, kept] of names.entries())
      for (const dropped of names.slice(index + 1)) {
        const newCosts = new Map(
          entryNames.map((entry) => {
            const [left, right] = [added.get(entry).get(kept), added.get(entry).get(dropped)];
            // An entry that loads neither file is not affected. Any other one reads one file for the two.
            if (left > 0 && right > 0) return [entry, costs.get(entry)];
            return [entry, costs.get(entry) + left + right - 1];
          }),
        );
        const saves =
          totalOf(newCosts) < totalOf(best?.costs ?? costs) &&
          entryNames.every((entry) => newCosts.get(entry) - before.get(entry) <= MAX_LOSS);
        if (!saves) continue;
        const merged = new Map([...group].map(([file, name]) => [file, name === dropped ? kept : name]));
        if (!isCyclic(kept, chunks, merged, membersOf(merged))) best = { group: merged, costs: newCosts };
      }
    return best;
  }

  /** Returns what each entry would pay for loading each of some groups too; 0 for one that it loads. */
  function addedCosts(group, names) {
    const members = membersOf(group);
    const groupsLoadedBy = (file) => new Set([...loadedBy(file, chunks, group, members)].map((one) => group.get(one)));
    const loadedWith = new Map(names.map((name) => [name, groupsLoadedBy(name)]));
    const costOfGroup = new Map([...members].map(([name, files]) => [name, costOf(files, chunks)]));
    return new Map(
      entryNames.map((entry) => {
        const loaded = groupsLoadedBy(entry);
        const added = (name) =>
          [...loadedWith.get(name)].reduce((sum, one) => sum + (loaded.has(one) ? 0 : costOfGroup.get(one)), 0);
        return [entry, new Map(names.map((name) => [name, added(name)]))];
      }),
    );
  }

  function totalOf(costs) {
    return [...costs].reduce((sum, [entry, cost]) => sum + cost * (entry === main ? MAIN_ENTRY.weight : 1), 0);
  }
}

/** Returns the cost of loading files that are merged into one, in files. */
function costOf(files, chunks) {
  return files.reduce((sum, file) => sum + chunks.get(file).code.length / FILE_BYTES, 1);
}

/** Returns the chunks that importing a chunk loads: its group, and everything that they import. */
function loadedBy(start, chunks, group, members = membersOf(group)) {
  const loaded = new Set();
  const pending = [start];
  for (let file; (file = pending.pop()) !== undefined;) {
    if (loaded.has(file)) continue;
    for (const member of members.get(group.get(file))) {
      loaded.add(member);
      pending.push(...chunks.get(member).imports.filter((imported) => chunks.has(imported)));
    }
  }
  return loaded;
}

/** Returns the files of each group. */
function membersOf(group) {
  const members = new Map();
  for (const [file, name] of group) {
    const files = members.get(name);
    if (files === undefined) members.set(name, [file]);
    else files.push(file);
  }
  return members;
}

/** Returns whether a group imports itself through other files. Its classes could then be used before they exist. */
function isCyclic(name, chunks, group, members) {
  const outside = members
    .get(name)
    .flatMap((file) => chunks.get(file).imports)
    .filter((imported) => chunks.has(imported) && group.get(imported) !== name);
  return outside.some((file) => loadedBy(file, chunks, group, members).has(members.get(name)[0]));
}

/** Loads a file with its source map, so that the resulting map refers to the sources. */
async function load(file) {
  const [code, map] = await Promise.all([readFile(file, 'utf8'), readFile(`${file}.map`, 'utf8')]);
  return { code: withOwnNames(code.replace(/^\/\/# sourceMappingURL=.*$/gm, '')), map: JSON.parse(map) };
}

/**
 * Restores the names of classes. The bundler turns a class that refers to itself into `var ApiError = class _ApiError`,
 * and stack traces and `constructor.name` would show that name. The inner name may equal the name of the variable.
 */
export function withOwnNames(code) {
  const renamed = [...code.matchAll(/^(?:var|let|const) (\w+) = class _\1\b/gm)].map(([, name]) => name);
  return renamed.reduce(
    (text, name) => text.replaceAll(new RegExp(`(?<![\\w$.#'"\`])_${name}(?![\\w$])`, 'g'), name),
    code,
  );
}

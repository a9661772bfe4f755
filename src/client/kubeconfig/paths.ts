import { isAbsolute, resolve, sep } from 'node:path';

/** A path of a configuration file, from the folder of that file. */
export function absolutePath(path: string, directory: string): string {
  return isAbsolute(path) ? path : resolve(directory, path);
}

/** A command of a configuration file: a bare name is looked for in `PATH` and stays as it is. */
export function commandPath(command: string, directory: string): string {
  return command.includes(sep) ? absolutePath(command, directory) : command;
}

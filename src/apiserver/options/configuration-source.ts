/** A configuration file that is reloaded when it changes. */
export interface ConfigurationFile {
  /** Current content, YAML or JSON. */
  readonly text: string;
  /** Reads the file again. */
  read(): string | Promise<string>;
  /**
   * Registers a callback for possible changes; returns a function that removes it. Without it the file is read every
   * minute.
   */
  onChange?(changed: () => void): () => void;
}

/** A configuration: a value of its type, or a file. */
export type ConfigurationSource<Configuration> = Configuration | ConfigurationFile;

/** Returns whether a configuration is a file. */
export function isConfigurationFile<Configuration extends object>(
  source: ConfigurationSource<Configuration>,
): source is ConfigurationFile {
  return 'text' in source && typeof source.text === 'string' && 'read' in source;
}

/**
 * JSONPath in the dialect of Kubernetes: `.spec.replicas`, `.metadata.labels.app\.io/name`,
 * `.status.conditions[?(@.type=="Ready")].status`. Paths of field names are followed directly; all others are
 * translated to RFC 9535 and given to a library.
 *
 * @module
 */
import { ownMember } from '../encoding/own-property.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';

/** A compiled path. */
export interface JsonPath {
  /** Returns the first value that the path selects; undefined when there is none. */
  first(object: JsonObject): JsonValue | undefined;
}

const SIMPLE = /^(\.[A-Za-z_][\w-]*)+$/;

/** Returns whether a path consists of field names only, so that no library is needed. */
export const isSimplePath = (text: string): boolean => SIMPLE.test(text);

/** Compiles a path of field names: `.spec.replicas`. */
export function simplePath(text: string): JsonPath {
  const names = text.slice(1).split('.');
  return {
    first(object) {
      let value: JsonValue | undefined = object;
      for (const name of names) {
        if (!isJsonObject(value)) return undefined;
        value = ownMember(value, name);
      }
      return value;
    },
  };
}

/** Loads the library and returns the function that compiles any path. */
export async function loadJsonPath(): Promise<(text: string) => JsonPath> {
  const [{ JSONPathEnvironment }, { standardPath }] = await Promise.all([
    import('json-p3'),
    import('./standard-path.js'),
  ]);
  const environment = new JSONPathEnvironment();
  return (text) => {
    if (isSimplePath(text)) return simplePath(text);
    const query = environment.compile(standardPath(text));
    return {
      first(object) {
        for (const node of query.lazyQuery(object as Parameters<typeof query.lazyQuery>[0]))
          return node.value as JsonValue;
        return undefined;
      },
    };
  };
}

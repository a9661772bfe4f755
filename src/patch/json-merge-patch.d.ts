/** What is used of json-merge-patch 1, which comes without types. */
declare module 'json-merge-patch' {
  const library: {
    /** Changes `target` in place where it is an object, and returns the result. */
    apply(target: unknown, patch: unknown): unknown;
    /** The patch between two values, or undefined when they are equal. */
    generate(before: unknown, after: unknown): unknown;
  };
  export default library;
}

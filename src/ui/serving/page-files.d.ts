/** The files of the page, which scripts/build-page.js makes. package.json (`imports`) names the module. */
declare module '#page' {
  /** A file of the page. */
  export interface PageFile {
    /** Its path below the page, such as `assets/main-1a2b3c4d.js`. */
    readonly path: string;
    /** Value of `Content-Type`. */
    readonly type: string;
    /** A hash of its content, in hexadecimal digits. */
    readonly hash: string;
    /** Its content in base64, compressed with gzip. */
    readonly gzip: string;
    /** Its content in base64, compressed with Brotli. */
    readonly brotli: string;
  }
  export const files: readonly PageFile[];
}

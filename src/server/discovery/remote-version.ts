/** A version of a group that another server serves. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Its entries of aggregated discovery, as the other server has them; empty before they were read. */
  readonly resources: readonly object[];
  /**
   * URL of its OpenAPI document of version 3, relative to the server, with the hash of the content; undefined when the
   * other server has none.
   */
  readonly openApiUrl: string | undefined;
  /** Whether the entries could be read the last time. */
  readonly isCurrent: boolean;
}

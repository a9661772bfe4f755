import type { ComponentChildren } from 'preact';

/** Options of {@link PlainTable}. */
export interface PlainTableProperties {
  readonly titles: readonly string[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table of a few rows, all of which are drawn. */
export function PlainTable({ titles, children }: PlainTableProperties) {
  return (
    <table class="plain">
      <thead>
        <tr>
          {titles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

"""Texts of the help besides the options: examples of each command, and the formats of files."""

from __future__ import annotations

from textwrap import dedent, indent

OVERVIEW = """
\b
Examples
  spherelax match database.db --out tracks.csv --write-database cleaned.db
  spherelax match pairs.csv --out entities.csv --report report.html
  spherelax match edges.csv --groups groups.csv --out labels.csv
  spherelax cluster edges.csv
  spherelax info edges.csv
  spherelax scale 'pairs/*.parquet' --out entities

\b
More help: spherelax help COMMAND about a command, and
spherelax help formats about files that are read and written, and exit codes.
"""
FORMATS_HINT = """
\b
FILE may be -, standard input. Formats: spherelax help formats
"""
MATCH = f"""
\b
Examples
  spherelax match database.db --out tracks.csv --write-database cleaned.db
  spherelax match matches.h5 --features features.h5 --out tracks.csv
  spherelax match pairs.csv --records records.csv --out entities.csv
  spherelax match pairs.parquet --duplicate-free-sources shop,bank --out entities.parquet
  spherelax match edges.csv --groups groups.csv --out labels.csv --report report.html
  spherelax match matrix.npz --groups images.txt --json
  spherelax match june.csv --project people.duckdb --out entities.csv
  spherelax match july.csv --project people.duckdb --judgements judged.csv
  spherelax match --project people.duckdb --forget gone.csv --out entities.csv

\b
edges.csv           groups.csv       labels.csv
  p1,q1,0.9           item,group       item,group,label,confidence
  p2,q2,0.8           p1,left          p1,left,0,0.8197
  p1,q2,0.2           p2,left          q1,right,0,0.8197
                      q1,right         ...
                      q2,right

\b
Groups: in a database the images, in pairs the sources. A matrix or a table of
edges needs --groups; for a matrix this may also be a file with one group per
line, or a .npy file.
{FORMATS_HINT}"""
CLUSTER = f"""
\b
Examples
  spherelax cluster edges.csv
  spherelax cluster edges.csv --out labels.csv --report report.html
  spherelax cluster points.csv --out labels.csv
  spherelax cluster matrix.npz --n-labels 12 --out twelve.csv
  spherelax cluster cells.h5ad --out labelled.h5ad

\b
edges.csv           labels.csv
  ann,anna,0.9        item,label,confidence
  ann,hanna,0.8       ann,0,0.4423
  anna,hanna,0.9      anna,0,0.4423
                      ...
{FORMATS_HINT}"""
PATH = f"""
\b
Examples
  spherelax path edges.csv
  spherelax path edges.csv --json | jq '.steps[] | select(.picked)'
  spherelax cluster edges.csv --out result.npz && spherelax path result.npz

\b
Columns
  resolution          how similar two labels must be to become one, in units of
                      the average similarity; a high one gives many labels
  labels              number of labels
  saving              how much shorter the labels make the description of the
                      similarities; larger is better
  stability           width of the range of resolutions with nearly the same
                      labels: ln(highest / lowest)
  picked              1 for the step that the labels come from, else 0
With --verbose also alpha and eta, of the paper.
{FORMATS_HINT}"""
REPORT = f"""
\b
Examples
  spherelax report edges.csv --out report.html
  spherelax report database.db --images photographs --out report.html
  spherelax report edges.csv --result result.npz --out report.html
{FORMATS_HINT}"""
EXPLAIN = f"""
\b
Examples
  spherelax explain pairs.csv --pair "shop 7" "bank 19"
  spherelax explain pairs.csv --entity 12
  spherelax explain database.db --pair castle.jpg:12 tower.jpg:7
  spherelax explain entities/ --pair "shop 7" "bank 19"

\b
Items have the names that --report shows. What would have to change was checked by
solving again, with all that was learnt kept.
{FORMATS_HINT}"""
ASK = f"""
\b
Examples
  spherelax ask pairs.csv
  spherelax ask pairs.csv --n 50 --out questions.csv
  spherelax ask pairs.csv --records records.csv --serve
  spherelax ask database.db --images photographs --serve --answers tracks.sqlite
  spherelax ask --project people.duckdb --serve

\b
questions.csv, before verdicts are filled in
  source_a,id_a,source_b,id_b,verdict,probability,changes,why
  shop,7,bank,19,,0.4812,2.1000,in doubt
  ...

\b
Verdicts: same, different or cannot tell. Then: --judgements questions.csv, or
--judgements answers.sqlite. The page listens on this machine only, at an address
with a random token. Keys: s same, d different, c cannot tell, u undo.
{FORMATS_HINT}"""
DIFF = """
\b
Examples
  spherelax diff june.csv july.csv
  spherelax diff june.csv july.csv --out changes.csv --page changes.html
  spherelax diff 1 2 --project people.duckdb

\b
Kinds of changes
  kept            one entity, with the same items
  grown, shrunk   one entity, with new items, or without items that are gone
  renewed         one entity; some of its items are gone, and others are new
  merged, split   several entities have become one, or one has become several
  moved           several entities have exchanged items
  new, gone       entities of new items, or whose items are all gone
"""
EVALUATE = f"""
\b
Examples
  spherelax evaluate pairs.csv
  spherelax evaluate pairs.csv --sample sample.csv --n 200 --of records
  spherelax evaluate pairs.csv --judged sample.csv

\b
sample.csv, before verdicts are filled in
  case,source_a,id_a,source_b,id_b,verdict,of,size,stratum,out_of
  0,shop,7,bank,19,,records,1,0,4829
  0,shop,7,bank,20,,records,1,0,4829
  ...

\b
Verdicts: same, different or cannot tell; those that follow from others of the
case may be empty. Cases that are not judged completely do not count. What else
is the same as a drawn record may be added as rows of its case.
{FORMATS_HINT}"""
SCALE = """
\b
Examples
  spherelax info 'pairs/*.parquet'
  spherelax scale 'pairs/*.parquet' --out entities --n-jobs 8 --memory 16GB
  spherelax scale 'pairs/*.parquet' --out entities --dask tcp://10.0.0.1:8786
  spherelax scale pairs.duckdb --table pairs --out entities --write-database out.duckdb
  spherelax scale 'july/*.csv' --out july_entities --judgements judged.csv --ids-like entities

\b
pairs/*.parquet                      entities/part-*.parquet
  source_a,id_a,source_b,id_b,score    source,id,entity,confidence
  shop,1,bank,07,0.93                  bank,07,0,1.0
  shop,2,bank,08,0.90                  bank,08,1,1.0
                                       shop,1,0,1.0
                                       ...

\b
The folder of --out also holds summary.json, report.html and the folder shards,
which is needed to go on and to explain. An entity has the number of its first
record, or that which --ids-like gave it.
Needs DuckDB and pyarrow: pip install "spherelax[scale]"; --dask needs
pip install "spherelax[dask]" too.
"""
INFO = f"""
\b
Examples
  spherelax info database.db
  spherelax info pairs.csv --json
  spherelax info 'pairs/*.parquet'
{FORMATS_HINT}"""
COMPLETION = """
\b
Examples
  spherelax completion bash >> ~/.bashrc
  spherelax completion zsh >> ~/.zshrc
  spherelax completion fish > ~/.config/fish/completions/spherelax.fish
"""

# A small example of each kind of text file.
SAMPLES = {
    "edges": "ann,anna,0.9\nann,hanna,0.8\nanna,hanna,0.9\n",
    "pairs": "source_a,id_a,source_b,id_b,score\nshop,1,bank,07,0.93\nshop,2,bank,08,0.90\n",
    "points": "name,width,length\nrose,1.5,2.0\nlily,3.5,4.0\n",
    "groups": "item,group\nann,left\nanna,right\n",
}
KINDS_TEXT = {
    "edges": """
        edges: .csv, .tsv, .txt
            One edge per row: two items and, optionally, their similarity (default 1). If an edge
            is listed twice, the larger similarity counts. A header is recognised. Items without
            an edge are not alike; if the edges are only candidates, say --kind pairs.
        """,
    "pairs": """
        pairs: .csv, .tsv, .txt, .parquet
            Scored pairs of records with named columns: source_a, id_a, source_b, id_b, score, or
            those of splink: unique_id_l, unique_id_r, match_probability or match_weight and,
            optionally, source_dataset_l, source_dataset_r. The sources may be missing. --columns
            gives other names. Only a match_weight, or any score with --kind odds, may be negative.
            A source is a group if no two of its records are paired; --duplicate-free-sources names
            other ones. Records without a pair come from --records: tables with source and id, or
            with id alone if the file is named after its source.
        """,
    "colmap": """
        colmap: .db, .sqlite, .sqlite3
            A database of COLMAP with keypoints and matches. Images are groups. Verified matches
            (two_view_geometries) are used if there are any, else raw ones; --table chooses.
        """,
    "hloc": """
        hloc: .h5
            Matches of hloc, a group for each pair of images with matches0 and, if there are any,
            matching_scores0. --features names the file of their keypoints. Images are groups;
            scores need no threshold. Needs h5py.
        """,
    "matrix": """
        matrix: .npz, .npy, .mtx
            A symmetric, non-negative matrix, written by scipy.sparse.save_npz, numpy.save or in
            the MatrixMarket format. Its items are numbered from 0.
        """,
    "points": """
        points: .csv, .tsv, .txt, .parquet, .npy
            One item per row, one feature per column and, optionally, a column of names; for
            cluster, path, report and info. Text with two or three columns is read as edges unless
            one of the first two has a number with a fraction; --as points reads it as points,
            and with --columns width,length only these columns, and the names.
        """,
    "h5ad": """
        h5ad: .h5ad
            The neighbour graph of an AnnData file, obsp["connectivities"]. Needs anndata.
        """,
    "groups": """
        groups (--groups): .csv, .tsv, .txt, .npy
            A table of items and their groups. For a matrix also one group per line, or a .npy
            file of integers or text.
        """,
}
INTRODUCTION = """\
NAME
    formats - files that spherelax reads and writes

WHAT GOES IN
    The kind of FILE is found from its content and its ending; --as sets it. FILE may be -,
    standard input. Standard input, pipes and files with endings not listed below are recognised
    by their content alone. Text is UTF-8, separated by commas, semicolons or tabs; in .txt and
    in files with an unknown ending also by blanks. Lines that start with # are ignored.
"""
OUTPUT = """\
WHAT COMES OUT
    --out, by its ending
        .csv, .tsv    one row per item. edges, matrix, points, h5ad: item, group (match), label,
                      confidence. pairs: source, id, entity, confidence. colmap, hloc: track, image,
                      keypoint, x, y, confidence, without the keypoints that are in no track.
        .parquet      the same columns, with types. Needs pyarrow.
        .json         a summary: numbers of items and labels, sizes, status, the whole sweep.
        .npz          the whole result; path and report --result can read it.
        .h5ad         a copy of FILE, if that is an h5ad, with labels in obs["spherelax"].
        -             standard output as CSV, the default; pipes and devices also get CSV.
    --entities        .csv, .tsv, .parquet: one row per label: label (entity, track), size; if
                      known, pure and whole: the probabilities that all its items are the same
                      thing, and that no item outside is; the item that represents it, and for
                      each column of --records the value with most probability behind it.
    --pairs           .csv, .tsv, .parquet: one row per pair that shares a label: both items and,
                      if known, the probability that the pair is right.
    --json            the summary on standard output; labels are then written only with --out.
    --write-database  a copy of a COLMAP database with only the matches in tracks, for the mapper.
    --write-matches   a copy of hloc's matches with only those in tracks, for its reconstruction.
    --report          an HTML page: input, labels, and how far to trust them.
    --ids-like        numbers of labels are those of an earlier table; beside --out, as
                      labels.ids.csv beside labels.csv, a register of all numbers ever given: id,
                      state (living, ended), items, successor.
    --answers         an SQLite database with a table judgements: a row for each answer on the page
                      of ask, written before the next question comes.
    --project         a DuckDB file of all pairs, judgements and runs; its tables say what they
                      hold: SELECT table_name, comment FROM duckdb_tables(). Needs DuckDB. After
                      --forget no byte of it tells of the records that went; other files that were
                      written before still do.
    --plot            a picture of the sweep: .png, .svg, .pdf, ... Needs matplotlib.

    Labels, entities and tracks are numbered from 0. Confidence is the probability that the
    label is right: the expected share of the other items of its label that are the same thing or,
    if an item is alone, the probability that it should be. (With --solver power it is a number from
    0, another label would be as good, to 1, no other has a claim on the item.) A file is written
    completely or not at all, and an input file is never overwritten. Standard output can take only
    one of these and is written last. Summaries and progress go to standard error.

    Ctrl-C while solving ends the sweep after its current step, and the best labels so far are
    written. After the last step, the labels are completed first. A second Ctrl-C, or one while
    reading or writing, ends the program at once.

EXIT CODES
    0      done; the summary has the status, which says whether to doubt the labels
    1      standard output was closed before the end, as by: spherelax ... | head
    2      bad input or arguments: one line on standard error names file, row and reason
    130    interrupted: the last line on standard error says what was done before

SEE ALSO
    spherelax help match, spherelax help cluster
"""


def formats() -> str:
    """Return the text about files.

    Examples
    --------
    >>> formats().splitlines()[0]
    'NAME'
    """
    parts = [INTRODUCTION]
    for kind, text in KINDS_TEXT.items():
        part = indent(dedent(text).strip("\n"), "    ")
        if kind in SAMPLES:
            part += "\n\n" + indent(SAMPLES[kind], " " * 12).rstrip()
        parts.append(f"{part}\n")
    return "\n".join([*parts, OUTPUT])

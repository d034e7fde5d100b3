//! Modem logs that are text: reading ends, whatever follows the lines that show the format.

use crate::modem::read_behind;

/// Android's dumps behind the line of a time.
pub(crate) fn dumpsys(rest: &[u8]) {
    read_behind("1700000000.5\nlast known state:\n", rest);
}

/// The emulated link's log behind its header.
pub(crate) fn emulator(rest: &[u8]) {
    read_behind(
        "\
    t_unix,tti,prb,tbs_bytes,user,cell,carrier,\
    direction,prb_total,mcs,modulation,layers,retx,crc_ok,padding_bytes\n",
        rest,
    );
}

/// FALCON's table behind a row.
pub(crate) fn falcon(rest: &[u8]) {
    read_behind(
        "\
    1546300800.000500\t100\t5\t4660\t1\t20\t50\t36696\t36696\t-1\t\
    3\t1\t-1\t3\t4\t2\t2\t5\t44\t0fab\n",
        rest,
    );
}

/// MobileInsight's lines of JSON behind one of them.
pub(crate) fn mobile_insight_json(rest: &[u8]) {
    read_behind(
        "\
    {\"type_id\":\"LTE_NAS\",\"timestamp\":\"2019-06-01 03:44:29.574046\"}\n",
        rest,
    );
}

/// MobileInsight's XML behind one message.
pub(crate) fn mobile_insight_xml(rest: &[u8]) {
    read_behind("<dm_log_packet><pair key=\"type_id\">LTE_NAS</pair></dm_log_packet>\n", rest);
}

/// NG-Scope's table behind a row.
pub(crate) fn ngscope(rest: &[u8]) {
    read_behind(
        "\
    0\t4660\t100\t100\t27\t0\t75376\t27\t2\t75376\t\
    4\t1546300800001500\t1\t0\n",
        rest,
    );
}

/// ns-3's table of the downlink behind its header.
pub(crate) fn ns3(rest: &[u8]) {
    read_behind(
        "\
    % time\tcellId\tIMSI\tframe\tsframe\tRNTI\t\
    mcsTb1\tsizeTb1\tmcsTb2\tsizeTb2\tccId\n",
        rest,
    );
}

/// OWL's table behind a row.
pub(crate) fn owl(rest: &[u8]) {
    read_behind(
        "\
    0\t0\t4660\t1\t20\t50\t36696\t36696\t-1\t\
    2\t1\t-1\t3\t4\t2\t2\t99\n",
        rest,
    );
}

/// QCAT's text behind a title.
pub(crate) fn qcat(rest: &[u8]) {
    read_behind(
        "\
    2023 Jun  8  21:16:02.785  [80]  0xB173  LTE PDSCH Stat Indication\n\
    Version = 48\n",
        rest,
    );
}

/// srsRAN's metrics behind their header.
pub(crate) fn srsran(rest: &[u8]) {
    read_behind(
        "\
    time;cc;earfcn;pci;rsrp;pl;cfo;\
    pci_neigh;rsrp_neigh;cfo_neigh;dl_mcs;dl_snr\n",
        rest,
    );
}

import{a,b,c}from"./chunk-XKMXSN25.js";import"./chunk-LQTUUJK7.js";import"./chunk-3UTJGTPD.js";import"./chunk-H4CCCNLF.js";import"./chunk-O2OVPS25.js";c();export{a as CalendarTabs,b as default};

import{a,b,c}from"./chunk-332LI6OU.js";import"./chunk-JQFLQ553.js";import"./chunk-LQTUUJK7.js";import"./chunk-H4CCCNLF.js";import"./chunk-O2OVPS25.js";c();export{a as AuditTabs,b as default};

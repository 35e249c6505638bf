import{a,b,c}from"./chunk-APA6IGDB.js";import"./chunk-D4DUIGEF.js";import"./chunk-IFBMSAJ3.js";import"./chunk-7A7DVSNE.js";import"./chunk-WTA7P345.js";c();export{a as AuditTabs,b as default};

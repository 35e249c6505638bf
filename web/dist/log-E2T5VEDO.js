import{a,b,c}from"./chunk-Y2EUUP33.js";import"./chunk-LVEBGV34.js";import"./chunk-KII6D4LB.js";import"./chunk-FYABTPMJ.js";import"./chunk-7F5WRZ6E.js";c();export{a as AuditTabs,b as default};

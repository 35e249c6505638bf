import{a,b,c}from"./chunk-NLMSOS32.js";import"./chunk-ZLG2YFA7.js";import"./chunk-QTS2PC4Q.js";import"./chunk-BKNF2RP6.js";import"./chunk-WRJ6R7OA.js";c();export{a as AuditTabs,b as default};

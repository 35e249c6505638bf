import{a,b,c}from"./chunk-XHUG7GTD.js";import"./chunk-ETVF2NHE.js";import"./chunk-NZRK5T6X.js";import"./chunk-GBY7HUHU.js";import"./chunk-REX6MET3.js";c();export{a as GuardianTabs,b as default};

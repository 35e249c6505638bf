import{a,b,c}from"./chunk-Z6BCRDD7.js";import"./chunk-ESH47IS6.js";import"./chunk-NZRK5T6X.js";import"./chunk-GBY7HUHU.js";import"./chunk-REX6MET3.js";c();export{a as AuditTabs,b as default};

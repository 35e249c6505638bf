import{a,b,c}from"./chunk-6E67YFSQ.js";import"./chunk-PUVENEHK.js";import"./chunk-ZTD5XSY6.js";import"./chunk-HCVERMU2.js";c();export{a as ClassTabs,b as default};

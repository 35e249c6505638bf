import{a,b,c}from"./chunk-TLW2OWMK.js";import"./chunk-ZLXVW7SY.js";import"./chunk-HCWB2KDP.js";import"./chunk-PE5RQYK2.js";import"./chunk-DYMB5BLE.js";c();export{a as CalendarTabs,b as default};
